import FlicBridge
import FlicSimulator
import FoundationEssentials
import Glibc
import Testing

@testable import flic

@Suite("flic run")
struct RunTests {
    /// A daemon under way, with a simulated button; over a real socket, on virtual time.
    private struct Stage: Sendable {
        let clock: VirtualLoop
        let loop: DispatchLoop
        let button: SimulatedButton
        let directory: String
        let printed = Printed()
        let interrupts = AsyncStream.makeStream(of: Void.self)
        let reloads = AsyncStream.makeStream(of: Void.self)

        var configuration: String { directory + "/config.json" }
        var socket: String { directory + "/flickit.sock" }

        /// Plays with a daemon that has this configuration.
        ///
        /// - Returns: How it ended.
        @discardableResult
        static func play(_ configuration: String, _ body: @escaping @Sendable (Stage) async throws -> Void) async throws -> ExitCode {
            var template = Array("/tmp/flickit.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let clock = VirtualLoop(patience: .seconds(30))
            return try await clock.run(timeLimit: .seconds(24 * 3600)) {
                let loop = clock.makeLoop()
                let air = SimulatedAir(loop: loop)
                let button = SimulatedButton(seed: 1, loop: loop)
                await air.place(button)
                let stage = Stage(clock: clock, loop: loop, button: button, directory: directory)
                try stage.configure(configuration)
                let context = stage.context(air)
                let arguments = ["run", "--config", stage.configuration, "--trust-test-root", "published"]
                let daemon = Task(executorPreference: loop) { await FlicProgram.run(arguments, in: context) }
                await stage.pass(.seconds(2))
                try await body(stage)
                stage.interrupts.continuation.yield()
                return await daemon.value
            }
        }

        private func context(_ air: SimulatedAir) -> ProgramContext {
            let store = MemoryStore()
            var context = ProgramContext(
                loop: loop,
                output: printed.output,
                date: { Date(timeIntervalSince1970: 1_767_225_600) },
                environment: { [directory] in $0 == "XDG_RUNTIME_DIR" ? directory : nil },
                interrupts: { [interrupts] in interrupts.stream },
                input: Input { AsyncStream { _ in } },
                makeTransport: { _ in Transport(central: SimulatedCentral(air: air)) },
                makeBroadcast: { _, _, _ in throw Failure(.failed, "noTransport", "no button is to be put on the air") },
                makeStore: { _, _ in store },
                quit: { _ in }
            )
            context.reloads = { [reloads] in reloads.stream }
            return context
        }

        func configure(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: configuration)) }

        func reload(_ text: String) async throws {
            try configure(text)
            reloads.continuation.yield()
            await pass(.seconds(1))
        }

        func pass(_ time: Duration) async { await clock.pause(for: time) }

        func status() async throws -> BridgeStatus {
            let client = try await BridgeClient.connect(socket, on: loop)
            return try await client.request(BridgeRequest(.status))
        }

        func pair() async throws {
            await button.enterPublicMode()
            let client = try await BridgeClient.connect(socket, on: loop)
            let _: ButtonStatus = try await client.request(BridgeRequest(.pair))
            await pass(.seconds(31))
        }
    }

    private static func rule(_ event: String) -> String {
        #"{"rules": [{"name": "lamp", "event": "\#(event)", "exec": {"command": ["/bin/true"]}}]}"#
    }

    @Test("Rules fire, clients are served, and an interrupt is the proper end")
    func life() async throws {
        let code = try await Stage.play(Self.rule("click")) { stage in
            #expect(stage.printed.errors.last == "Running: 1 rule.")
            try await stage.pair()
            await stage.button.click()
            await stage.pass(.seconds(1))
            let status = try await stage.status()
            #expect(status.version == FlicProgram.version && status.bluetooth == "poweredOn")
            #expect(status.buttons.count == 1 && status.rules?["lamp"]?["fired"] == 1)
        }
        #expect(code == .done)
    }

    @Test("A configuration that is read anew counts from then on; a wrong one changes nothing, and is told by file and line")
    func reload() async throws {
        try await Stage.play(Self.rule("click")) { stage in
            try await stage.pair()
            try await stage.reload("{\n\"rules\": [{\"name\": \"lamp\", \"event\": \"clack\"}]}")
            #expect(stage.printed.errors.contains { $0.contains("\(stage.configuration):2") && $0.contains("rules[0].event") })
            await stage.button.click()
            await stage.pass(.seconds(1))
            #expect(try await stage.status().rules?["lamp"]?["fired"] == 1)
            try await stage.reload(Self.rule("down"))
            await stage.button.click()
            await stage.pass(.seconds(1))
            #expect(try await stage.status().rules?["lamp"]?["fired"] == 2)
        }
    }

    @Test("A configuration that is wrong from the beginning, and a socket that another daemon has, are failures")
    func failures() async throws {
        let code = try await Stage.play("{") { stage in
            let errors = stage.printed.errors
            #expect(errors.contains { $0.contains("\(stage.configuration):1") }, "\(errors)")
        }
        #expect(code != .done)
        try await Stage.play("{}") { stage in
            let second = try await Stage.play(#"{"socket": {"path": "\#(stage.socket)"}}"#) { other in
                #expect(other.printed.errors.contains { $0.contains(stage.socket) })
            }
            #expect(second == .failed)
        }
    }
}
