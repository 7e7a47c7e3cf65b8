import Testing

@testable import Logs

@Suite("FLICKIT_LOG")
struct LogFilterTests {
    private static func filter(_ text: String) -> (LogFilter, problems: [String]) {
        var problems: [String] = []
        let filter = LogFilter(text, otherwise: .problem) { problems.append($0) }
        return (filter, problems)
    }

    /// The least that is shown of an area.
    private static func least(_ filter: LogFilter, _ area: LogArea?) -> LogLevel? { LogLevel.allCases.first { filter.shows($0, area) } }

    @Test(
        "A level for all, and levels for areas",
        arguments: [
            ("", LogLevel?.some(.problem), LogLevel?.some(.problem)), ("off", nil, nil), ("problem", .problem, .problem),
            ("notice", .notice, .notice),
            ("debug", .debug, .debug), ("notice,bluez=debug,session=debug", .notice, .debug), ("bluez=debug", .problem, .debug),
            (" off , bluez=notice ", nil, .notice), ("debug,bluez=off", .debug, nil), ("notice,debug", .debug, .debug),
        ]
    )
    func levels(_ text: String, usual: LogLevel?, bluez: LogLevel?) {
        let (filter, problems) = Self.filter(text)
        #expect(problems == [])
        #expect(Self.least(filter, .store) == usual && Self.least(filter, nil) == usual)
        #expect(Self.least(filter, .bluez) == bluez)
    }

    @Test(
        "Words that are unknown are named once, all of them; the others count",
        arguments: ["loud,notice,radio=debug,bluez=", "notice,LOUD,bluez=debug=debug", "notice,=,loud"]
    )
    func unknown(_ text: String) {
        let (filter, problems) = Self.filter(text)
        #expect(problems.count == 1 && Self.least(filter, nil) == .notice)
        #expect(problems.first?.contains("off, problem, notice, debug") == true && problems.first?.contains("bluez, session") == true)
    }

    @Test("A text without end is cut, and commands to a terminal are not repeated")
    func hostile() {
        let (_, problems) = Self.filter(String(repeating: "x", count: 1_000_000) + "\u{1B}[31m")
        #expect(problems.count == 1 && problems[0].utf8.count < 2000)
        #expect(Self.filter("\u{1B}[31m").problems.first?.contains("\u{1B}") == false)
    }

    @Test("Remarks say what they are about")
    func areas() {
        #expect(LogArea.session.remark("no link", of: "BC00-A00001") == "session BC00-A00001: no link")
        for area in LogArea.allCases {
            #expect(LogArea(of: area.remark("x")) == area && LogArea(of: area.remark("x", of: "BC00-A00001")) == area)
        }
        #expect(LogArea(of: "anything else") == nil && LogArea(of: "") == nil)
    }
}
