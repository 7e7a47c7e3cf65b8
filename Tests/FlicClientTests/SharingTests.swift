import FlicClient
import FlicSimulator
import Testing

@Suite("Several applications (protocol 1, contract B92)")
struct SharingTests {
    @Test("Two applications on one link do not disturb each other", arguments: [23, 140])
    func twoApplications(mtu: Int) async throws {
        try await Scene.run(mtu: mtu) { scene in
            let one = try await scene.pair()
            let (other, trace) = await Self.application(on: scene)
            await scene.button.enterPublicMode()
            let two = try await other.pair()
            await scene.pass(.seconds(2))
            #expect(await scene.button.sessionCount == 2)
            await one.setClickRules(.standard(.clickAndHold))
            await two.setClickRules(.standard(.clickAndDoubleClick))
            _ = (scene.trace.take(), trace.take())
            await scene.button.doubleClick()
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "up", "click", "down", "up", "click"])
            #expect(trace.take() == ["down", "up", "down", "up", "doubleClick"])

            // One of them renames the button; the other one hears of it.
            await one.setNickname("Hall")
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == [] && trace.take() == ["renamed Hall"])

            // One of them goes; the link stays for the other.
            await one.disconnect()
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["disconnected nil, disconnected"])
            await scene.button.click()
            await scene.pass(.seconds(1))
            #expect(trace.take() == ["down", "up", "click"])
            #expect(await scene.button.sessionCount == 1)

            // And comes back on the same link, with what it has missed.
            await one.connect()
            await scene.pass(.seconds(1))
            #expect(scene.trace.take().contains("click queued 1"))
            #expect(trace.take() == [])
        }
    }

    @Test("When the slots are full, pairing one more gives too many apps; and those before go on")
    func slotsFull() async throws {
        var settings = ButtonSettings()
        settings.slots = 2
        try await Scene.run(settings: settings) { scene in
            let one = try await scene.pair()
            let (second, _) = await Self.application(on: scene)
            await scene.button.enterPublicMode()
            let two = try await second.pair()
            let (third, _) = await Self.application(on: scene)
            await scene.button.enterPublicMode()
            var failure: FlicError?
            do { _ = try await third.pair() } catch { failure = error as? FlicError }
            #expect(failure == FlicError(.tooManyApps))
            await scene.pass(.seconds(2))
            #expect(one.info.isReady && two.info.isReady)
            #expect(await scene.button.sessionCount == 2)

            // When one of them gives its place up, there is room.
            await two.disconnect()
            await scene.pass(.seconds(1))
            await scene.button.enterPublicMode()
            let three = try await third.pair()
            #expect(three.info.isReady && one.info.isReady)
        }
    }

    @Test("A link that others hold is joined whenever it is wished for, though the button is not heard: later, or after trouble of one's own")
    func joining() async throws {
        try await Scene.run { scene in
            let one = try await scene.pair()
            let (other, _) = await Self.application(on: scene)
            await scene.button.enterPublicMode()
            let two = try await other.pair()
            await scene.pass(.seconds(60))  // public mode is over
            #expect(await !scene.button.isAdvertising && two.info.isReady)

            await one.disconnect()
            await scene.pass(.seconds(60))
            await one.connect()
            await scene.pass(.seconds(1))
            #expect(one.info.isReady && two.info.isReady)

            // Two failures of a kind end the use of the link; the next one begins after a pause.
            await scene.button.setFaults { $0.deniesPairings = true }
            await one.disconnect()
            await scene.pass(.seconds(1))
            await one.connect()
            await scene.pass(.seconds(25))
            #expect(one.info.state == .connecting && two.info.isReady)
            await scene.button.setFaults { $0.deniesPairings = false }
            await scene.pass(.seconds(30))
            #expect(one.info.isReady && two.info.isReady)
        }
    }

    @Test("The same pairing used by another process: not fought for, taken up again after 30 s")
    func samePairingElsewhere() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(2))
            _ = scene.trace.take()
            let copy = Scene.application(on: scene.air, store: MemoryStore(scene.store.contents))
            await copy.start()
            await scene.pass(.seconds(20))
            #expect(scene.trace.take() == ["not ready (takenOver), connected"])
            #expect(await copy.buttons.first?.info.isReady == true)
            await copy.stop()
            await scene.pass(.seconds(15))
            #expect(scene.trace.take().first == "ready, connected" && button.info.isReady)
        }
    }

    private static func application(on scene: Scene) async -> (Flic, Trace) {
        let flic = Scene.application(on: scene.air, store: MemoryStore())
        let trace = Trace()
        await trace.follow(flic)
        await flic.start()
        await scene.pass(.milliseconds(10))
        return (flic, trace)
    }
}
