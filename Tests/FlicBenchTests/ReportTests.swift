import Commands
import Testing

@testable import flic_bench

@Suite("Measurements: what is printed")
struct ReportTests {
    private static var report: Report {
        get throws {
            Report(
                measurement: "exec",
                build: "release",
                conditions: ["transport": "BlueZ", "adapter": "hci0"],
                figures: [try #require(Figure("exec", times: [1_000, 2_500])), try #require(Figure("main", times: [1_234_567]))]
            )
        }
    }

    @Test("As JSON, one line")
    func json() throws {
        let line = try JSONLine.text(try Self.report)
        let wanted =
            #"{"build":"release","conditions":{"adapter":"hci0","transport":"BlueZ"},"figures":["#
            + #"{"count":2,"max":2.5,"min":1,"name":"exec","p50":1,"p99":2.5,"unit":"us"},"#
            + #"{"count":1,"max":1234.567,"min":1234.567,"name":"main","p50":1234.567,"p99":1234.567,"unit":"us"}],"measurement":"exec"}"#
        #expect(line == wanted)
    }

    @Test("As a table, with columns that align")
    func table() throws {
        let wanted = """
            exec (release, adapter hci0, transport BlueZ)
                  unit  count     min     p50     p99     max
            exec    us      2     1.0     1.0     2.5     2.5
            main    us      1  1234.6  1234.6  1234.6  1234.6
            """
        #expect(try Self.report.table == wanted)
    }
}
