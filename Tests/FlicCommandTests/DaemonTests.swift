import FlicBridge
import FlicSimulator
import FoundationEssentials
import Glibc
import Testing

@testable import flic

@Suite("Commands while a daemon has the buttons")
struct DaemonTests {
    /// A daemon with a simulated button, and runs of the program beside it; over a real socket, on virtual time.
    private struct Stage: Sendable {
        let clock: VirtualLoop
        let loop: DispatchLoop
        let button: SimulatedButton
        let air: SimulatedAir
        let bridge: Bridge
        let server: SocketServer
        let directory: String
        let date = Date(timeIntervalSince1970: 1_767_225_600)

        var path: String { directory + "/flickit.sock" }

        static func play(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
            var template = Array("/tmp/flickit.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let clock = VirtualLoop(patience: .seconds(30))
            try await clock.run(timeLimit: .seconds(24 * 3600)) {
                let loop = clock.makeLoop()
                let air = SimulatedAir(loop: loop)
                let button = SimulatedButton(seed: 1, loop: loop)
                await air.place(button)
                let central = SimulatedCentral(air: air)
                let bridge = Bridge(Flic(FlicConfiguration(central: central, store: MemoryStore(), trustingTestRoot: TestRoot.publicKey)))
                var facts = SocketServer.Facts(version: "1.2.3", store: directory)
                facts.rules = { ["lamp": ["runs": 3, "failures": 1]] }
                let server = SocketServer(bridge, on: loop, facts: facts, date: { Date(timeIntervalSince1970: 1_767_225_500) }, log: { _, _ in })
                let stage = Stage(clock: clock, loop: loop, button: button, air: air, bridge: bridge, server: server, directory: directory)
                await bridge.add { notice in server.assumeIsolated { $0.hear(notice) } }
                await bridge.start()
                await server.start(try BoundSocket(try SocketPlace(stage.path, isShared: false)))
                await stage.pass(.seconds(1))
                try await body(stage)
                await server.stop()
                await bridge.stop()
            }
        }

        func pass(_ time: Duration) async { await clock.pause(for: time) }

        func pair(name: String) async throws {
            await button.enterPublicMode()
            _ = try await bridge.pair(name: name)
            await pass(.seconds(31))
        }

        /// Runs the program to its end. Its own store is empty.
        func run(_ arguments: String..., sockets: [String]? = nil) async -> Run { await run(arguments, sockets: sockets) }

        func run(_ arguments: [String], sockets: [String]? = nil) async -> Run {
            let printed = Printed()
            var context = ProgramContext(
                loop: loop,
                output: printed.output,
                date: { [date] in date },
                environment: { _ in nil },
                interrupts: { AsyncStream { _ in } },
                input: Input { AsyncStream { _ in } },
                makeTransport: { _ in throw Failure(.failed, "noTransport", "Bluetooth must not be used.") },
                makeBroadcast: { _, _, _ in throw Failure(.failed, "noTransport", "Bluetooth must not be used.") },
                makeStore: { _, _ in MemoryStore() },
                quit: { _ in }
            )
            let found = sockets ?? [directory + "/none.sock", path]
            context.sockets = { found }
            let run = Run(code: await FlicProgram.run(arguments, in: context), printed: printed)
            run.checkSchema(arguments)
            return run
        }
    }

    @Test("status: for people")
    func status() async throws {
        try await Stage.play { stage in
            let empty = await stage.run("status")
            #expect(empty.code == .done && empty.errors == ["No buttons are paired; 'flic pair' pairs one."])
            try await stage.pair(name: "Hall")
            await stage.button.click()
            await stage.pass(.seconds(1))
            let run = await stage.run("status")
            #expect(run.code == .done && run.errors.isEmpty)
            #expect(
                run.results.dropFirst() == [
                    "Bluetooth   ready", "Connected   1", "Rule        lamp: 1 failures, 3 runs",
                    "Hall  \(stage.button.identity.serialNumber)  ready  3.0 V  1 press  seen 1 min 40 s ago",
                ]
            )
            #expect(run.results.first?.wholeMatch(of: /Daemon      version 1\.2\.3, running for \d+ s/) != nil)
            await stage.air.setState(.poweredOff)
            await stage.pass(.seconds(1))
            #expect(await stage.run("status").results[1...2] == ["Bluetooth   poweredOff", "Connected   0"])
        }
    }

    @Test("status: JSON with the members that the help names")
    func statusJSON() async throws {
        try await Stage.play { stage in
            try await stage.pair(name: "Hall")
            let run = await stage.run("status", "--json")
            let object = try #require(try run.objects.first)
            #expect(object.names == ["version", "uptime", "bluetooth", "connected", "clients", "store", "rules", "buttons"])
            let status = try JSONDecoder().decode(BridgeStatus.self, from: Data(try #require(run.results.first).utf8))
            #expect(status.buttons.map(\.facts.name) == ["Hall"] && status.store == stage.directory)
        }
    }

    @Test("Without a daemon, status says so, and how to start one")
    func noDaemon() async throws {
        try await Stage.play { stage in
            for arguments in [[], ["--socket", stage.directory + "/other"]] {
                let run = await stage.run(["status"] + arguments, sockets: [])
                #expect(run.code == .failed && run.errors.count == 1)
                #expect(run.errors[0].contains("daemon") && run.errors[0].contains("'flic run' starts one"))
            }
            await stage.server.stop()
            #expect(await stage.run("status").code == .failed)
        }
    }

    @Test("list and forget go to the daemon")
    func listAndForget() async throws {
        try await Stage.play { stage in
            try await stage.pair(name: "Hall")
            let serial = stage.button.identity.serialNumber
            #expect(await stage.run("list").results == ["Hall  \(serial)  \(stage.button.address)  firmware 10  3.0 V"])
            #expect(await stage.run("list", "--socket", stage.path, sockets: []).results.count == 1)
            let unknown = await stage.run("forget", "Door")
            #expect(unknown.code == .notPaired && unknown.errors.first?.contains("'Door'") == true)
            let json = try await stage.run("forget", "hall", "--json").objects
            #expect(json.map(\.event) == ["forgotten"] && json.first?.texts["button"] == serial)
            #expect(await stage.bridge.buttons.isEmpty)
            #expect(await stage.run("list").results.isEmpty)
        }
    }

    @Test("rename, mode, latency, queue and battery go to the daemon, and count at once")
    func settings() async throws {
        try await Stage.play { stage in
            try await stage.pair(name: "Hall")
            await stage.pass(.seconds(1))
            let renamed = await stage.run("rename", "Hall", "Door")
            #expect(renamed.results == ["Renamed: Door"] && renamed.errors.isEmpty)
            #expect(await stage.run("mode", "Door").results == ["Door: hold (hold after 1.0 s)"])
            #expect(await stage.run("mode", "Door", "--hold-time", "0.5").results == ["Door: hold (hold after 0.5 s)"])
            #expect(await stage.run("mode", "Door", "--triple").code == .usage)
            let rules = await stage.run("mode", "Door", "all", "--triple").results
            #expect(rules == ["Door: all (double click within 0.5 s, triple clicks, hold after 1.0 s)"])
            #expect(await stage.run("latency", "Door", "low").results == ["Door: low"])
            #expect(await stage.run("queue", "Door", "latest:3").results == ["Door: latest:3"])
            let shown = try await stage.run("queue", "Door", "--json").objects
            #expect(shown.first?.texts["queue"] == "latest:3" && shown.first?.names.contains("event") == false)
            let changed = try await stage.run("queue", "Door", "none", "--json").objects
            #expect(changed.first?.event == "changed" && changed.first?.texts["queue"] == "none")
            #expect(await stage.run("battery", "Door").results.first?.hasPrefix("Door  3.0 V  100 %  ") == true)
            for arguments in [["rename", "Hall", "x"], ["mode", "Hall"], ["battery", "Hall"]] {
                #expect(await stage.run(arguments).code == .notPaired)
            }
            await stage.pass(.seconds(1))
            #expect(await stage.button.name == "Door")
            #expect(await stage.button.connectionParameters?.maximumInterval == .microseconds(17_500))
            let info = try #require(await stage.bridge.buttons.first)
            #expect(info.clickRules.limits?.tripleClick == true && info.queuePolicy == .none)
        }
    }

    @Test("A store that is named is the daemon's if it is the daemon's")
    func namedStore() async throws {
        try await Stage.play { stage in
            try await stage.pair(name: "Hall")
            #expect(await stage.run("list", "--store", stage.directory + "/").results.count == 1)
            #expect(await stage.run("list", "--store", "/tmp").results.isEmpty)
        }
    }

    @Test("pair: the daemon pairs, its steps are shown")
    func pair() async throws {
        try await Stage.play { stage in
            async let pairing = stage.run("pair", "--name", "Hall")
            await stage.pass(.seconds(5))
            await stage.button.enterPublicMode()
            let run = await pairing
            #expect(run.code == .done && run.errors == ["Hold the button down for seven seconds."])
            #expect(run.events.dropLast() == ["found a button", "connected", "verified"])
            #expect(run.results.last?.hasPrefix("Paired: Hall  \(stage.button.identity.serialNumber)") == true)
            #expect(await stage.bridge.buttons.map(\.nickname) == ["Hall"])
        }
    }

    @Test("pair: what the daemon says is wrong is told as if this program had met it")
    func pairFails() async throws {
        try await Stage.play { stage in
            let none = await stage.run("pair", "--timeout", "40", "--json")
            #expect(none.code == .noButtonFound)
            let last = try none.objects.last
            #expect(last?.texts["reason"] == "noButtonFound")
            async let first = stage.run("pair")
            await stage.pass(.seconds(1))
            let second = await stage.run("pair")
            #expect(second.code == .failed && second.errors.last?.contains("Another button is just being paired") == true)
            #expect(await first.code == .noButtonFound)
            #expect(await stage.run("pair", "--record", "/tmp/x").code == .usage)
        }
    }

    @Test("listen: what the daemon tells, of the buttons that are named, until the time is over")
    func listen() async throws {
        try await Stage.play { stage in
            try await stage.pair(name: "Hall")
            async let listening = stage.run("listen", "hall", "--seconds", "30")
            await stage.pass(.seconds(1))
            await stage.button.doubleClick()
            await stage.pass(.seconds(5))
            await stage.air.loseLink(to: stage.button.address)
            let run = await listening
            #expect(run.code == .done && run.errors.isEmpty)
            #expect(run.events.prefix(3) == ["Hall  down", "Hall  up", "Hall  click"])
            #expect(run.events.contains("Hall  link lost") && run.events.contains("Hall  ready") && run.events.contains("Hall  battery 3.0 V"))
            #expect(await stage.run("listen", "door", "--seconds", "3").code == .notPaired)
        }
    }

    @Test("listen: modes and policies are set where they are asked for, and last")
    func listenSettings() async throws {
        try await Stage.play { stage in
            try await stage.pair(name: "Hall")
            for (mode, event) in [("click", "click"), ("all", "doubleClick")] {
                async let listening = stage.run("listen", "--mode", mode, "--queue", "latest:3", "--seconds", "10", "--json")
                await stage.pass(.seconds(1))
                await stage.button.doubleClick()
                let events = try await listening.objects.compactMap(\.event)
                #expect(events.contains(event) && events.contains("doubleClick") == (mode == "all"))
            }
            #expect(await stage.bridge.buttons.map(\.queuePolicy) == [.latest(3)])
        }
    }

    @Test("listen: ends when no button is left, and when the daemon ends")
    func listenEnds() async throws {
        try await Stage.play { stage in
            #expect(await stage.run("listen").code == .notPaired)
            try await stage.pair(name: "Hall")
            async let first = stage.run("listen")
            await stage.pass(.seconds(1))
            _ = await stage.run("forget", "Hall")
            let forgotten = await first
            #expect(forgotten.code == .notPaired && forgotten.events.last == "Hall  forgotten")
            try await stage.pair(name: "Hall")
            async let second = stage.run("listen")
            await stage.pass(.seconds(1))
            await stage.server.stop()
            let ended = await second
            #expect(ended.code == .failed && ended.errors.last?.contains("The daemon has ended.") == true)
        }
    }

    @Test("Times for people", arguments: [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (7_260, "2 h 1 min"), (90_000, "1 d 1 h")])
    func times(seconds: Int, text: String) {
        #expect(StatusCommand.text(.seconds(seconds)) == text)
    }
}
