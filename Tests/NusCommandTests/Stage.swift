import BlueZ
import Commands
import EventLoops
import Fixtures
import FlicSimulator
import GATT
import Glibc
import Testing
import UARTDoubles

@testable import nus

/// Runs of the program on one air, on virtual time. What is typed comes by a pipe.
struct Stage: Sendable {
    let loop: any EventLoop
    let air: UARTAir

    static func play(mtu: Int = 60, _ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
        let loop = VirtualLoop()
        try await loop.run(timeLimit: .seconds(3600)) {
            try await body(Stage(loop: loop, air: UARTAir(loop: loop, mtu: mtu)))
        }
    }

    /// On the system's clock: a terminal of the kernel is in the game, of which a virtual one knows nothing.
    static func playInRealTime(mtu: Int, _ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
        let loop = DispatchLoop(label: "test")
        try await Task(executorPreference: loop) {
            try await body(Stage(loop: loop, air: UARTAir(loop: loop, mtu: mtu)))
        }.value
    }

    /// Begins a run.
    func start(_ arguments: String..., central: (any Central)? = nil) -> Run { start(arguments, central: central) }

    func start(_ arguments: [String], central: (any Central)? = nil) -> Run {
        let run = Run()
        let context = ProgramContext(
            loop: loop,
            output: Output(
                print: { text in for line in text.split(separator: "\n", omittingEmptySubsequences: false) { run.results.note(String(line)) } },
                printError: { run.remarks.note($0) }
            ),
            writeBytes: { bytes in run.results.note("\(bytes)") },
            environment: { _ in nil },
            interrupts: { run.interrupts },
            input: ByteReader(run.keyboard.reading),
            makeTransport: { [air] _, _ in Transport(central: central ?? air, peripheral: air) }
        )
        run.task = Task(executorPreference: loop) {
            let code = await NusProgram.run(arguments, in: context)
            if arguments.contains("--json"), let command = arguments.first { checkSchema(run.results.lines, command) }
            return code
        }
        return run
    }

    /// Whatever a command prints with `--json` is as the schema says.
    private func checkSchema(_ lines: [String], _ command: String) {
        for line in lines {
            let problems = JSONSchema.commands?.problems(of: line, as: "nus-\(command)", "failed")
            #expect(problems == [], "\(line)")
        }
    }

    func pass(_ time: Duration) async { await loop.pause(for: time) }
}

/// A run of the program.
final class Run: @unchecked Sendable {
    let results = Transcript()
    let remarks = Transcript()
    let keyboard = Pipe()
    let interrupts: AsyncStream<Void>
    private let interrupt: AsyncStream<Void>.Continuation
    /// Set before anybody else has it.
    fileprivate(set) var task: Task<ExitCode, Never>!

    init() { (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self) }

    var code: ExitCode { get async { await task.value } }

    func type(_ text: String) { keyboard.write(Array(text.utf8)) }

    /// Interrupts the run and waits for its end.
    func end() async -> ExitCode {
        interrupt.yield()
        return await code
    }
}

/// A pipe, whose end shows when it is released.
final class Pipe: Sendable {
    let reading: Descriptor
    private let writing: Descriptor

    init() {
        var descriptors: [Int32] = [-1, -1]
        guard pipe(&descriptors) == 0 else { fatalError("no pipe") }
        (reading, writing) = (Descriptor(descriptors[0]), Descriptor(descriptors[1]))
    }

    func write(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { Glibc.write(writing.number, $0.baseAddress, $0.count) } }
}
