import EventLoops
import FlicBridge
import Foundation
import Testing

@Suite("Programs: a thousand presses in a second", .serialized, .timeLimit(.minutes(3)))
struct ExecPressesTests {
    /// What a thousand presses have led to.
    private struct Result {
        /// Counters of the presses whose program has come to its end, in that order.
        var counts: [Int]
        /// The processes that were started.
        var processes: [String]
        var counters: RuleCounters
    }

    private static func press(_ policy: Configuration.Exec.Concurrency, sleep: String) async throws -> Result {
        let info = try await Scene.play { scene in try await scene.pair(name: "Hall") }
        let directory = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let script =
            #"echo $$ >> "$0/started"; [ -e "$0/running" ] && [ "$1" != restart ] && echo 0 >> "$0/ended"; : > "$0/running"; "# + sleep
            + #"; rm "$0/running"; echo $FLICKIT_COUNT >> "$0/ended""#
        let exec = Configuration.Exec(
            command: ["/bin/sh", "-c", script, directory.path, policy.rawValue],
            timeout: .seconds(60),
            concurrency: policy
        )
        let loop = DispatchLoop(label: "tests.presses")
        let runner = RuleRunner(
            [Configuration.Rule(name: "lamp", exec: exec)],
            loop: loop,
            programs: ProcessRunner(loop: loop),
            webhooks: ScriptedWebhooks(loop: loop),
            environment: { _ in nil },
            log: { _, _ in }
        )
        let start = ContinuousClock.now
        for number in 1...1000 {
            await runner.tell(.button(.press(PressEvent(kind: .click, eventCount: UInt32(number))), info))
            if number.isMultiple(of: 10) { try await Task.sleep(until: start + .milliseconds(number)) }
        }
        try await eventually { await runner.runningCount == 0 }
        func lines(_ name: String) throws -> [String] {
            try String(contentsOf: directory.appending(path: name), encoding: .utf8).split(separator: "\n").map(String.init)
        }
        let counters = await runner.counters[0].counters
        return Result(counts: try lines("ended").compactMap { Int($0) }, processes: try lines("started"), counters: counters)
    }

    private static func check(_ result: Result) async throws {
        #expect(result.counters.fired == 1000 && result.counters.failed == 0)
        #expect(result.counts == result.counts.sorted() && result.counts.first.map { $0 > 0 } == true)
        let left = result.processes.filter(Processes.isKnown)
        #expect(left.isEmpty)
        try await eventually { !Processes.areEndedWatched() }
    }

    @Test("skip: each press is run or left out")
    func skip() async throws {
        let result = try await Self.press(.skip, sleep: "sleep 0.02")
        try await Self.check(result)
        #expect(result.counts.count == result.processes.count && result.counts.count + result.counters.skipped == 1000)
        #expect(result.counts.first == 1)
    }

    @Test("queue: in order, and 32 wait")
    func queue() async throws {
        let result = try await Self.press(.queue, sleep: "sleep 0.02")
        try await Self.check(result)
        #expect(result.counts.count == result.processes.count && result.counts.count + result.counters.skipped == 1000)
        #expect(result.counts.prefix(33) == Array(1...33)[...])
    }

    @Test("restart: the last press is run to its end")
    func restart() async throws {
        let result = try await Self.press(.restart, sleep: "sleep 0.5")
        try await Self.check(result)
        #expect(result.counts.last == 1000)
    }
}
