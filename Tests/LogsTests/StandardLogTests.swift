import FlicSimulator
import Glibc
import Synchronization
import Testing

@testable import Logs

@Suite("The log on standard error")
struct StandardLogTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    /// What is written of remarks.
    private static func written(
        wish: String? = nil,
        environment: [String: String] = [:],
        _ remarks: (StandardLog, VirtualLoop) async -> Void
    ) async -> [String] {
        let lines = Lines()
        let loop = VirtualLoop()
        await remarks(StandardLog(program: "flic", wish: wish, loop: loop, environment: { environment[$0] }, output: lines.add), loop)
        return lines.all
    }

    /// What is written of a remark of each level.
    private static func all(wish: String? = nil, _ environment: [String: String] = [:]) async -> [String] {
        await written(wish: wish, environment: environment) { log, _ in
            log.write(.debug, "bluez: adapter")
            log.write(.debug, "session A: no link")
            log.write(.notice, "trace: full")
            log.write(.problem, "store: damaged")
        }
    }

    @Test("FLICKIT_LOG says what is shown, unless the program says so")
    func filters() async {
        #expect(await Self.all() == ["flic: trace: full", "flic: store: damaged"])
        #expect(await Self.all(["FLICKIT_LOG": "off"]) == [])
        #expect(
            await Self.all(["FLICKIT_LOG": "problem,bluez=debug"]) == ["flic: bluez: adapter", "flic: store: damaged"]
        )
        #expect(await Self.all(wish: "problem", ["FLICKIT_LOG": "debug"]) == ["flic: store: damaged"])
        #expect(await Self.all(wish: "debug", ["FLICKIT_LOG": "off"]).count == 4)
        let lines = await Self.all(["FLICKIT_LOG": "loud"])
        #expect(lines.count == 3 && lines[0].hasPrefix("flic: FLICKIT_LOG has no 'loud'"))
    }

    @Test("Lines have priorities where standard error is the journal's, and only there")
    func journal() async {
        var status = stat()
        #expect(fstat(STDERR_FILENO, &status) == 0)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(
            await Self.all(wish: "debug", ["JOURNAL_STREAM": stream]) == [
                "<7>flic: bluez: adapter", "<7>flic: session A: no link", "<5>flic: trace: full", "<3>flic: store: damaged",
            ]
        )
        for other in ["", "0:0", "x", "\(status.st_dev):\(status.st_ino)1"] {
            #expect(await Self.all(["JOURNAL_STREAM": other]) == ["flic: trace: full", "flic: store: damaged"])
        }
    }

    @Test("Repetitions are counted by the clock of the loop; texts of others cannot make lines")
    func repetitions() async {
        let lines = await Self.written { log, loop in
            for _ in 0..<60 {
                log.write(.problem, "store: disk full")
                await loop.advance(by: .seconds(2))
            }
            log.write(.problem, "store: a\nflic: b\u{1B}[31m")
        }
        #expect(
            lines == [
                "flic: store: disk full", "flic: store: disk full (and 29 times since the last line)", "flic: store: the same 29 times before this",
                "flic: store: a flic: b [31m",
            ]
        )
    }
}
