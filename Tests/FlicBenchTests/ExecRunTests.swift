import Commands
import EventLoops
import Synchronization
import Testing

@testable import flic_bench

@Suite("Measurements: from the notification to the program", .timeLimit(.minutes(2)))
struct ExecRunTests {
    private let loop = DispatchLoop(label: "tests.bench")

    private func run(_ script: String) async throws -> Report {
        let stage = await ExecStage.inTheAir(on: loop)
        return try await ExecRun(stage: stage, loop: loop, command: ["/bin/sh", "-c", script]).report(presses: 2)
    }

    @Test("Each press runs the program once, which is executed before it tells the time")
    func presses() async throws {
        // Later than any clock of this machine tells.
        let report = try await run("echo $FLICKIT_COUNT 9000000000000000000")
        #expect(report.figures.map(\.name) == ["exec", "main"])
        #expect(report.figures.map(\.statistics.count) == [2, 2])
        #expect(report.figures[0].statistics.min > 0)
        #expect(report.figures[0].statistics.max < report.figures[1].statistics.min)
        #expect(report.conditions == ["transport": "simulated"])
    }

    @Test("A program that tells no time is a failure, not a figure")
    func silent() async throws {
        await #expect(throws: Invocation.Failure.self) { _ = try await run("echo hello") }
    }

    @Test(
        "One adapter alone, or a count of nothing, is not understood",
        arguments: [["--adapter", "hci0"], ["--button", "hci1"], ["--presses", "0"]]
    )
    func arguments(_ options: [String]) async {
        let lines = Mutex<[String]>([])
        let output = Output(print: { _ in Issue.record("something was printed") }, printError: { line in lines.withLock { $0.append(line) } })
        #expect(await BenchProgram.run(["exec"] + options, on: loop, output: output) == 2)
        #expect(lines.withLock { $0.count } == 1)
    }
}
