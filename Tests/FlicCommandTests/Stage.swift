import Fixtures
import FlicClient
import FlicSimulator
import FoundationEssentials
import Synchronization
import Testing

@testable import flic

/// What a program has printed.
final class Printed: Sendable {
    private let lines = Mutex<(results: [String], errors: [String])>(([], []))

    var output: Output {
        Output(
            print: { text in self.lines.withLock { $0.results += text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) } },
            printError: { text in self.lines.withLock { $0.errors.append(text) } }
        )
    }

    var results: [String] { lines.withLock { $0.results } }
    var errors: [String] { lines.withLock { $0.errors } }

    /// Results as JSON objects.
    var objects: [Object] {
        get throws { try results.map { try JSONDecoder().decode(Object.self, from: Data($0.utf8)) } }
    }
}

/// The members of a JSON object that tests look at, and the names of all.
struct Object: Decodable {
    let names: Set<String>
    let texts: [String: String]
    let numbers: [String: Double]
    let flags: [String: Bool]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        func all<Value: Decodable>(_ type: Value.Type) -> [String: Value] {
            Dictionary(
                uniqueKeysWithValues: members.allKeys.compactMap { key in (try? members.decode(type, forKey: key)).map { (key.stringValue, $0) } }
            )
        }
        names = Set(members.allKeys.map(\.stringValue))
        texts = all(String.self)
        numbers = all(Double.self)
        flags = all(Bool.self)
    }

    var event: String? { texts["event"] }
}

/// How a run of the program ended, and what it printed.
struct Run: Sendable {
    let code: ExitCode
    let printed: Printed

    var results: [String] { printed.results }
    var errors: [String] { printed.errors }

    /// Results as JSON objects.
    var objects: [Object] { get throws { try printed.objects } }

    /// Whatever a command prints with `--json` is as the schema says.
    func checkSchema(_ arguments: [String]) {
        guard let parsed = try? FlicProgram.table.parse(arguments), let command = parsed.command, parsed.has(.json), !parsed.has(.help) else {
            return
        }
        // An export is no report of one.
        guard command != "help", command != "export" || results.allSatisfy({ $0.contains(#""event":"#) }) else { return }
        for line in results {
            let problems = JSONSchema.commands?.problems(of: line, as: "flic-\(command)", "failed")
            #expect(problems == [], "\(line)")
        }
    }

    /// Results without times.
    var events: [String] { results.map { String($0.drop { " 0123456789.".contains($0) }) } }
}

/// A simulated button, the air around it, and runs of the program; on virtual time.
struct Stage: Sendable {
    let loop: VirtualLoop
    let air: SimulatedAir
    let button: SimulatedButton
    let store: MemoryStore

    static func play<Result: Sendable>(
        seed: UInt64 = 1,
        isDuo: Bool = false,
        faults: Faults = Faults(),
        _ body: @escaping @Sendable (Stage) async throws -> Result
    ) async throws -> Result {
        let loop = VirtualLoop(patience: .seconds(30))  // keys are derived beside it
        return try await loop.run(timeLimit: .seconds(24 * 3600)) {
            let air = SimulatedAir(loop: loop)
            let button = SimulatedButton(identity: .make(seed: seed, product: isDuo ? .duo : .flic2), seed: seed, faults: faults, loop: loop)
            await air.place(button)
            return try await body(Stage(loop: loop, air: air, button: button, store: MemoryStore()))
        }
    }

    func context(
        _ printed: Printed,
        interrupts: AsyncStream<Void>? = nil,
        problem: String? = nil,
        environment: [String: String] = [:],
        examiner: Examiner = Examiner(),
        daysLater: Int = 0
    ) -> ProgramContext {
        ProgramContext(
            loop: loop,
            output: printed.output,
            date: { Date(timeIntervalSince1970: 1_767_225_600.5 + Double(daysLater) * 86_400) },
            environment: { environment[$0] },
            interrupts: { interrupts ?? AsyncStream { _ in } },
            input: Input { AsyncStream { _ in } },
            makeTransport: { [air] _ in Transport(central: SimulatedCentral(air: air), problem: { problem }) },
            makeBroadcast: { [air] request, design, _ in
                let identity = ButtonIdentity.make(seed: design.seed, product: design.product)
                let button = SimulatedButton(identity: identity, seed: design.seed, loop: request.loop)
                await air.place(button)
                return Broadcast(button: button) { await air.remove(button.address) }
            },
            makeStore: { [store] _, _ in store },
            examiner: examiner,
            quit: { _ in }
        )
    }

    /// Runs the program to its end. The simulated button is trusted.
    func run(
        _ arguments: String...,
        problem: String? = nil,
        interrupts: AsyncStream<Void>? = nil,
        environment: [String: String] = [:],
        examiner: Examiner = Examiner(),
        daysLater: Int = 0
    ) async -> Run {
        await run(arguments, problem: problem, interrupts: interrupts, environment: environment, examiner: examiner, daysLater: daysLater)
    }

    func run(
        _ arguments: [String],
        problem: String? = nil,
        interrupts: AsyncStream<Void>? = nil,
        environment: [String: String] = [:],
        examiner: Examiner = Examiner(),
        daysLater: Int = 0
    ) async -> Run {
        let printed = Printed()
        let context = context(printed, interrupts: interrupts, problem: problem, environment: environment, examiner: examiner, daysLater: daysLater)
        let run = Run(code: await FlicProgram.run(arguments + ["--trust-test-root", "published"], in: context), printed: printed)
        run.checkSchema(arguments)
        return run
    }

    /// Brings the button into pairing mode and pairs with it.
    func pair() async {
        await button.enterPublicMode()
        _ = await run("pair")
        await pass(.seconds(31))  // the end of pairing mode
    }

    /// Puts a further button into the air and pairs with it.
    func pairAnother(seed: UInt64) async -> SimulatedButton {
        let another = SimulatedButton(seed: seed, loop: loop)
        await air.place(another)
        await another.enterPublicMode()
        _ = await run("pair")
        await pass(.seconds(31))
        return another
    }

    func pass(_ time: Duration) async { await loop.pause(for: time) }
}
