import FlicClient
import FlicSimulator
import Testing

@testable import flic

@Suite("flic listen")
struct ListenTests {
    @Test("Presses and changes are shown, with the button's name, until the time is over")
    func text() async throws {
        try await Stage.play { stage in
            await stage.button.setName("Hall")
            await stage.pair()
            let start = stage.loop.now
            async let listen = stage.run("listen", "--seconds", "60")
            await stage.pass(.seconds(1))
            await stage.button.click()
            await stage.pass(.seconds(5))
            await stage.button.doubleClick()
            await stage.pass(.seconds(5))
            await stage.button.hold()
            await stage.pass(.seconds(5))
            await stage.air.loseLink(to: stage.button.address)
            let run = await listen
            #expect(run.code == .done && run.errors.isEmpty)
            #expect((.seconds(60) ... .seconds(61)).contains(stage.loop.now - start))
            #expect(
                run.events == [
                    "Bluetooth is ready", "Hall  connected", "Hall  ready", "Hall  down, queued, 0 s before the button was ready",
                    "Hall  up, queued, 0 s before the button was ready", "Hall  battery 3.0 V", "Hall  click", "Hall  down", "Hall  up", "Hall  down",
                    "Hall  up", "Hall  doubleClick",
                    "Hall  down", "Hall  hold", "Hall  up", "Hall  link lost", "Hall  connected", "Hall  ready", "Hall  battery 3.0 V",
                ]
            )
        }
    }

    @Test("Presses from before are shown as --queue says, which is remembered")
    func queue() async throws {
        try await Stage.play { stage in
            await stage.pair()
            for isNamed in [true, false] {
                async let listen =
                    isNamed ? stage.run("listen", "--seconds", "20", "--queue", "none") : stage.run("listen", "--seconds", "20")
                await stage.pass(.seconds(1))
                await stage.button.click()
                await stage.pass(.seconds(5))
                await stage.button.click()
                let run = await listen
                #expect(!run.events.contains { $0.contains("queued") } && run.events.contains { $0.hasSuffix("click") })
            }
        }
    }

    @Test("JSON: the members that the help names")
    func json() async throws {
        try await Stage.play { stage in
            await stage.button.setName("Hall")
            await stage.pair()
            await stage.button.setBattery(volts: 2.5)
            async let listen = stage.run("listen", "--json", "--seconds", "20")
            await stage.pass(.seconds(1))
            await stage.button.click()
            await stage.pass(.seconds(5))
            await stage.air.loseLink(to: stage.button.address)
            let objects = try await listen.objects
            let common: Set = ["event", "time", "date", "button", "uuid", "name"]
            func members(_ event: String) throws -> Set<String> { try #require(objects.first { $0.event == event }).names }
            #expect(try members("bluetooth") == ["event", "time", "date", "state"])
            for event in ["down", "up", "click"] { #expect(try members(event) == common.union(["queued", "age", "count", "clock"])) }
            for event in ["connected", "ready"] { #expect(try members(event) == common) }
            #expect(try members("battery") == common.union(["volts", "batteryPercent", "batteryLow"]))
            let battery = try #require(objects.first { $0.event == "battery" })
            #expect(battery.numbers["volts"] == 2.5 && battery.numbers["batteryPercent"] == 9 && battery.flags["batteryLow"] == true)
            #expect(try members("disconnected") == common.union(["reason", "message"]))
            let click = try #require(objects.first { $0.event == "click" })
            #expect(click.texts["button"] == stage.button.identity.serialNumber && click.texts["name"] == "Hall" && click.flags["queued"] == false)
            #expect(objects.first { $0.event == "down" }?.flags["queued"] == true)
            #expect(click.texts["date"] == "2026-01-01T00:00:00.500Z")
            #expect(objects.first { $0.event == "disconnected" }?.texts["reason"] == "timeout")
        }
    }

    @Test(
        "The mode decides what is told of a double click and a hold",
        arguments: [
            ("click", ["click", "click", "click"]), ("hold", ["click", "click", "hold"]), ("double", ["doubleClick", "click"]),
            ("all", ["doubleClick", "hold"]),
        ]
    )
    func modes(mode: String, expected: [String]) async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.button.press(for: .milliseconds(50))
            await stage.pass(.seconds(1))
            async let listen = stage.run("listen", "--json", "--mode", mode, "--seconds", "30")
            await stage.pass(.seconds(5))
            await stage.button.doubleClick()
            await stage.pass(.seconds(5))
            await stage.button.hold()
            let objects = try await listen.objects
            let told = objects.filter { $0.flags["queued"] == false }.compactMap(\.event).filter { $0 != "down" && $0 != "up" }
            #expect(told == expected)
        }
    }

    @Test("Only the named buttons are connected, the others keep their presses")
    func named() async throws {
        try await Stage.play { stage in
            await stage.pair()
            let other = await stage.pairAnother(seed: 2)
            await stage.button.click()
            await other.click()
            let run = await stage.run("listen", other.identity.serialNumber, "--json", "--seconds", "5")
            let buttons = Set(try run.objects.compactMap { $0.texts["button"] })
            #expect(buttons == [other.identity.serialNumber])
            #expect(await stage.button.sessionCount == 0)
            await stage.button.press(for: .milliseconds(50))
            let rest = await stage.run("listen", "--json", "--seconds", "5")
            let clicks = try rest.objects.filter { $0.event == "click" }
            #expect(clicks.map { $0.texts["button"] } == Array(repeating: stage.button.identity.serialNumber, count: 2))
        }
    }

    @Test("Buttons that are not known")
    func unknown() async throws {
        try await Stage.play { stage in
            #expect(await stage.run("listen").code == .notPaired)
            await stage.pair()
            let run = await stage.run("listen", "Kitchen")
            #expect(run.code == .notPaired && run.errors.last?.contains("'Kitchen'") == true)
        }
    }

    @Test("Interrupted: exit code 130; the session is ended and nothing is listened for")
    func interrupt() async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.button.press(for: .milliseconds(50))
            let (interrupts, continuation) = AsyncStream.makeStream(of: Void.self)
            async let listen = stage.run("listen", interrupts: interrupts)
            await stage.pass(.seconds(3))
            #expect(await stage.button.sessionCount == 1)
            continuation.yield()
            let run = await listen
            #expect(run.code == .interrupted && run.errors.isEmpty)
            await stage.pass(.seconds(1))
            #expect(await stage.button.sessionCount == 0)
            #expect(await !stage.button.isConnected)
            // Nobody is there any more: a press stays with the button.
            await stage.button.click()
            await stage.pass(.seconds(60))
            #expect(await !stage.button.isConnected)
        }
    }

    @Test("A void pairing is told, and ends the command when no other button is left")
    func unpaired() async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.button.removePairings()
            await stage.button.press(for: .milliseconds(50))
            let run = await stage.run("listen", "--json")
            #expect(run.code == .notPaired)
            let objects = try run.objects
            #expect(objects.contains { $0.event == "unpaired" })
            // And once it is known, at once.
            let again = await stage.run("listen", "--json")
            #expect(again.code == .notPaired)
            let laterObjects = try again.objects
            #expect(laterObjects.compactMap(\.event) == ["unpaired", "failed"])
        }
    }

    @Test("A button that cannot be connected for good is told; the others go on")
    func failedForGood() async throws {
        try await Stage.play { stage in
            await stage.pair()
            let other = await stage.pairAnother(seed: 2)
            await stage.button.setFaults { $0.refusesEverybody = true }
            async let listen = stage.run("listen", "--json", "--seconds", "200")
            await stage.pass(.seconds(1))
            await stage.button.click()
            await stage.pass(.seconds(100))
            await other.click()
            let run = await listen
            #expect(run.code == .done)
            let objects = try run.objects
            let failed = try #require(objects.first { $0.event == "failedToConnect" })
            #expect(failed.texts["button"] == stage.button.identity.serialNumber && failed.texts["reason"] == "tooManyApps")
            #expect(failed.names == ["event", "time", "date", "button", "uuid", "reason", "message"])
            #expect(objects.contains { $0.event == "click" && $0.texts["button"] == other.identity.serialNumber })
        }
    }

    @Test("If it is the only one, the command ends with its exit code")
    func onlyOneFailed() async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.button.setFaults { $0.refusesEverybody = true }
            await stage.button.press(for: .milliseconds(50))
            #expect(await stage.run("listen").code == .refused)
        }
    }

    @Test("Without Bluetooth it ends; once it runs, it sits out a loss of power")
    func power() async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.air.setState(.poweredOff)
            #expect(await stage.run("listen").code == .bluetoothUnavailable)
            await stage.air.setState(.poweredOn)
            async let listen = stage.run("listen", "--json", "--seconds", "60")
            await stage.pass(.seconds(1))
            await stage.air.setState(.poweredOff)
            await stage.pass(.seconds(1))
            await stage.air.setState(.poweredOn)
            await stage.pass(.seconds(1))
            await stage.button.click()
            let run = await listen
            #expect(run.code == .done)
            let objects = try run.objects
            #expect(objects.filter { $0.event == "bluetooth" }.map { $0.texts["state"] } == ["poweredOn", "poweredOff", "poweredOn"])
            #expect(objects.contains { $0.event == "click" })
        }
    }

    @Test("With --wait it waits for Bluetooth")
    func waiting() async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.air.setState(.unsupported(.missing))
            async let listen = stage.run("listen", "--wait", "--seconds", "30")
            await stage.pass(.seconds(100))
            await stage.air.setState(.poweredOn)
            await stage.button.click()
            let run = await listen
            #expect(run.code == .done && run.results.contains { $0.hasSuffix("ready") })
        }
    }
}
