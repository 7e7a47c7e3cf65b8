import FlicClient
import FlicSimulator
import Synchronization
import Testing

@Suite("Forgetting (contract B.6.5)")
struct ForgettingTests {
    @Test("A connected button: the end of the link is told, the store is empty, sequences end")
    func connected() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            _ = scene.trace.take()
            async let events = button.pressEvents().reduce(into: 0) { count, _ in count += 1 }
            await scene.pass(.milliseconds(1))
            await scene.button.click()
            await scene.pass(.seconds(1))
            try await scene.flic.forget(button)
            #expect(await events == 3)
            #expect(scene.trace.take() == ["down", "up", "click", "disconnected nil, disconnected"])
            #expect(await scene.flic.buttons.isEmpty && scene.store.contents.isEmpty)
            await scene.pass(.seconds(5))
            #expect(await !scene.button.isConnected)
            #expect(button.info.serialNumber == scene.button.identity.serialNumber)
            await button.connect()
            await scene.button.click()
            await scene.pass(.seconds(5))
            #expect(scene.trace.take() == [])
        }
    }

    @Test("Twice, one after the other and at once: only the first succeeds")
    func twice() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            async let first = Self.failure(scene, button)
            async let second = Self.failure(scene, button)
            let failures = await [first, second]
            #expect(failures == [nil, FlicError(.alreadyForgotten)])
            #expect(await Self.failure(scene, button) == FlicError(.alreadyForgotten))
        }
    }

    @Test("A button that is away is forgotten without a word, and can be paired anew with the same identifier")
    func away() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(5))
            _ = scene.trace.take()
            try await scene.flic.forget(button)
            #expect(scene.trace.take() == [])
            await scene.air.setInRange(true, scene.button.address)
            let anew = try await scene.pair()
            #expect(anew.identifier == button.identifier)
        }
    }

    @Test("A store that cannot be written: the button stays, connected")
    func storeFails() async throws {
        let store = FailingStore()
        try await Scene.run { scene in
            let flic = Scene.application(on: scene.air, store: store)
            await scene.button.enterPublicMode()
            let button = try await flic.pair()
            await scene.pass(.seconds(1))
            store.fails.withLock { $0 = true }
            await #expect(throws: FlicError(.storeFailed)) { try await flic.forget(button) }
            #expect(await flic.buttons.count == 1)
            #expect(button.info.isReady)
            store.fails.withLock { $0 = false }
            try await flic.forget(button)
            #expect(await flic.buttons.isEmpty)
        }
    }

    @Test("A pairing that cannot be stored has not happened")
    func pairingNotStored() async throws {
        let store = FailingStore()
        store.fails.withLock { $0 = true }
        try await Scene.run { scene in
            let flic = Scene.application(on: scene.air, store: store)
            await scene.button.enterPublicMode()
            var failure: FlicError?
            do { _ = try await flic.pair() } catch { failure = error as? FlicError }
            #expect(failure == FlicError(.storeFailed))
            #expect(await flic.buttons.isEmpty)
            await scene.pass(.seconds(5))
            #expect(await !scene.button.isConnected)
        }
    }

    private static func failure(_ scene: Scene, _ button: FlicButton) async -> FlicError? {
        do throws(FlicError) {
            try await scene.flic.forget(button)
            return nil
        } catch {
            return error
        }
    }
}
