import FlicClient
import FlicSimulator
import Testing

@testable import flic

@Suite("flic pair")
struct PairTests {
    @Test("Steps, then the button's facts; it is stored, and its session ended")
    func text() async throws {
        try await Stage.play { stage in
            await stage.button.enterPublicMode()
            let run = await stage.run("pair")
            #expect(run.code == .done)
            let identity = stage.button.identity
            #expect(run.events.dropLast() == ["found a button", "connected", "verified"])
            #expect(run.results.last == "Paired: -  \(identity.serialNumber)  \(identity.address)  firmware 10  3.0 V")
            #expect(stage.store.contents.map(\.serialNumber) == [identity.serialNumber])
            #expect(stage.store.contents.first?.wantsConnection == true)
            await stage.pass(.seconds(1))
            #expect(await !stage.button.isConnected)
        }
    }

    @Test("JSON: steps with times, then the facts")
    func json() async throws {
        try await Stage.play { stage in
            await stage.button.enterPublicMode()
            let run = await stage.run("pair", "--json", "--name", "Hall")
            #expect(run.code == .done && run.errors.isEmpty)
            let objects = try run.objects
            #expect(objects.map(\.event) == ["discovered", "connected", "verified", "paired"])
            #expect(objects.dropLast().allSatisfy { $0.names == ["event", "time", "date"] })
            #expect(objects.first?.texts["date"] == "2026-01-01T00:00:00.500Z")
            let facts = try #require(objects.last)
            #expect(
                facts.names == [
                    "event", "button", "name", "advertisedName", "address", "uuid", "identifier", "firmware", "volts", "batteryPercent", "batteryLow",
                    "batteryDate", "unpaired", "mode", "doubleClickTime", "holdTime", "tripleClick", "latency", "queue",
                ]
            )
            #expect(facts.texts["button"] == stage.button.identity.serialNumber && facts.texts["name"] == "Hall")
            #expect(facts.numbers["volts"] == 2.999 && facts.flags["unpaired"] == false)
        }
    }

    @Test("A name is given to the button; one that is too long is cut, and that is said", arguments: ["Hall", "A name of more than 23 bytes"])
    func name(name: String) async throws {
        try await Stage.play { stage in
            await stage.button.enterPublicMode()
            let run = await stage.run("pair", "--name", name)
            await stage.pass(.seconds(1))
            let given = String(name.prefix(23))
            #expect(await stage.button.name == given)
            #expect(stage.store.contents.first?.nickname == given)
            #expect(run.errors.contains { $0.contains("23 bytes") } == (given != name))
        }
    }

    @Test("No button: exit code 5, after half a minute or the time given", arguments: [nil, "3", "100"])
    func nothing(time: String?) async throws {
        try await Stage.play { stage in
            let run = if let time { await stage.run("pair", "--timeout", time) } else { await stage.run("pair") }
            #expect(run.code == .noButtonFound && run.results.isEmpty)
            #expect(stage.loop.now == .seconds(time.flatMap(Int.init) ?? 30))
        }
    }

    @Test("With a longer time, a button that comes late is found")
    func late() async throws {
        try await Stage.play { stage in
            async let pair = stage.run("pair", "--timeout", "100")
            await stage.pass(.seconds(80))
            await stage.button.enterPublicMode()
            #expect(await pair.code == .done)
        }
    }

    @Test("A time that ends after a button was found is a time-out")
    func slow() async throws {
        try await Stage.play { stage in
            await stage.button.setFaults { $0.neverAnswers = true }
            await stage.button.enterPublicMode()
            #expect(await stage.run("pair", "--timeout", "5").code == .timedOut)
            #expect((.seconds(5) ... .seconds(6)).contains(stage.loop.now))
            await stage.pass(.seconds(1))
            #expect(await !stage.button.isConnected)
        }
    }

    /// What is wrong with a button, and how the command ends.
    struct Trouble: Sendable {
        let code: ExitCode
        let reason: String
        let change: @Sendable (inout Faults) -> Void
    }

    @Test(
        "What is wrong with a button decides the exit code",
        arguments: [
            Trouble(code: .refused, reason: "connectedElsewhere") { $0.isConnectedElsewhere = true },
            Trouble(code: .refused, reason: "tooManyApps") { $0.refusesEverybody = true },
            Trouble(code: .refused, reason: "notInPublicMode") { $0.refusesPairing = 1 },
            Trouble(code: .failed, reason: "invalidVerifier") { $0.refusesPairing = 0 },
            Trouble(code: .failed, reason: "notGenuine") { $0.certificate = .signature },
            Trouble(code: .failed, reason: "wrongAddress") { $0.certificate = .address },
            Trouble(code: .timedOut, reason: "timedOut") { $0.neverAnswers = true },
            Trouble(code: .timedOut, reason: "timedOut") { $0.link = .unanswered },
            Trouble(code: .failed, reason: "connectFailed") { $0.link = .refused },
            Trouble(code: .failed, reason: "connectionLimitReached") { $0.link = .limitReached },
            Trouble(code: .failed, reason: "serviceNotFound") { $0.link = .serviceMissing },
        ]
    )
    func troubles(trouble: Trouble) async throws {
        try await Stage.play { stage in
            await stage.button.setFaults(trouble.change)
            await stage.button.enterPublicMode()
            let run = await stage.run("pair", "--json")
            #expect(run.code == trouble.code)
            let objects = try run.objects
            #expect(objects.last?.texts["reason"] == trouble.reason)
            #expect(stage.store.contents.isEmpty && run.errors.count == 1)
        }
    }

    @Test("Bluetooth that is switched off meanwhile")
    func powerLoss() async throws {
        try await Stage.play { stage in
            async let pair = stage.run("pair")
            await stage.pass(.seconds(3))
            await stage.air.setState(.poweredOff)
            #expect(await pair.code == .bluetoothUnavailable)
        }
    }

    @Test("Interrupted while it verifies: exit code 130, nothing stored, no link left")
    func interrupt() async throws {
        try await Stage.play { stage in
            await stage.button.setFaults { $0.neverAnswers = true }
            await stage.button.enterPublicMode()
            let (interrupts, continuation) = AsyncStream.makeStream(of: Void.self)
            async let pair = stage.run("pair", interrupts: interrupts)
            await stage.pass(.seconds(3))
            continuation.yield()
            #expect(await pair.code == .interrupted)
            await stage.pass(.seconds(1))
            #expect(await !stage.button.isConnected)
            #expect(stage.store.contents.isEmpty)
        }
    }

    @Test("Other buttons are left alone meanwhile: a press made then is told by the next listen, and they stay wanted")
    func others() async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.button.click()
            async let pair = stage.run("pair", "--timeout", "5")
            #expect(await pair.code == .noButtonFound)
            #expect(await stage.button.sessionCount == 0)
            #expect(stage.store.contents.map(\.wantsConnection) == [true])
            _ = await stage.pairAnother(seed: 2)
            #expect(stage.store.contents.map(\.wantsConnection) == [true, true])
            await stage.button.press(for: .milliseconds(50))
            let listen = await stage.run("listen", "--seconds", "5")
            #expect(listen.results.contains { $0.contains("click, queued") })
        }
    }

    @Test("A button that is paired already is passed over")
    func twice() async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.button.enterPublicMode()
            #expect(await stage.run("pair").code == .noButtonFound)
        }
    }

    @Test("A button whose pairing is void is paired anew")
    func anew() async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.button.removePairings()
            await stage.button.click()
            #expect(await stage.run("listen").code == .notPaired)
            #expect(stage.store.contents.map(\.isUnpaired) == [true])
            await stage.button.enterPublicMode()
            #expect(await stage.run("pair").code == .done)
            #expect(stage.store.contents.map(\.isUnpaired) == [false] && stage.store.contents.map(\.wantsConnection) == [true])
        }
    }
}
