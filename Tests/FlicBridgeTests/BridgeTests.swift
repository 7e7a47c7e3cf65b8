import FlicBridge
import FlicSimulator
import Testing

@Suite("Bridge: what is told, and in which order")
struct BridgeTests {
    @Test("A button comes before anything about it, and nothing comes after it is gone")
    func order() async throws {
        try await Scene.play { scene in
            let info = try await scene.pair(name: "Hall")
            let serial = scene.button.identity.serialNumber
            await scene.pass(.seconds(1))
            await scene.button.click()
            await scene.pass(.seconds(1))
            try await scene.bridge.forget(info.identifier)
            await scene.button.click()
            await scene.pass(.seconds(5))
            let told = scene.told.take()
            #expect(told.first == "bluetooth poweredOn")
            #expect(told.dropFirst().first == "added \(serial)")
            #expect(told.contains("\(serial) ready") && told.contains("changed Hall"))
            #expect(told.suffix(5) == ["Hall down", "Hall up", "Hall click", "Hall disconnected", "removed Hall"])
            #expect(await scene.bridge.buttons.isEmpty && scene.store.contents.isEmpty)
        }
    }

    @Test("An outlet that comes late is told what is there")
    func late() async throws {
        try await Scene.play { scene in
            _ = try await scene.pair(name: "Hall")
            await scene.pass(.seconds(1))
            let late = Told()
            await scene.bridge.add { late.hear($0) }
            #expect(late.take() == ["added Hall", "bluetooth poweredOn"])
            await scene.button.click()
            await scene.pass(.seconds(1))
            #expect(late.take() == ["Hall down", "Hall up", "Hall click"])
        }
    }

    @Test("The buttons of the last run are there before the state of Bluetooth")
    func restored() async throws {
        try await Scene.play { scene in
            _ = try await scene.pair(name: "Hall")
            await scene.bridge.stop()
            let next = Scene.bridge(on: scene.air, scene.store)
            let told = Told()
            await next.add { told.hear($0) }
            await next.start()
            await scene.pass(.seconds(5))
            #expect(told.take().prefix(2) == ["added Hall", "bluetooth poweredOn"])
            await next.stop()
        }
    }

    @Test("Requests for a button that is not there are refused")
    func absent() async throws {
        try await Scene.play { scene in
            let info = try await scene.pair()
            try await scene.bridge.forget(info.identifier)
            await #expect(throws: FlicError(.alreadyForgotten)) { try await scene.bridge.forget(info.identifier) }
            await #expect(throws: FlicError(.alreadyForgotten)) { try await scene.bridge.change(info.identifier) { await $0.disconnect() } }
        }
    }
}
