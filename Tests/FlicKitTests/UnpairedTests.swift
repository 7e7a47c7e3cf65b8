import FlicClient
import FlicKit
import FlicSimulator
import Foundation
import Testing

@Suite("Unpaired")
struct UnpairedTests {
    static let unpairing = ["didConnect: connected", "didDisconnect(nil): disconnected unpaired", "didUnpair(nil): disconnected unpaired"]

    /// A button that was reset, and has been found to be.
    static func unpaired() async throws -> (Stage, FLICButton) {
        let (stage, button) = try await Stage.paired()
        await stage.button.factoryReset()
        await stage.pass(.seconds(1))
        _ = stage.program.take()
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        return (stage, button)
    }

    @Test("Order 7, B50, B69, B.6.8: a reset button: didConnect, didDisconnect(nil), didUnpair(nil); it stays in the list, and that is all")
    func unpair() async throws {
        let (stage, button) = try await Self.unpaired()
        #expect(stage.program.take() == Self.unpairing)
        #expect(stage.manager.buttons() == [button])
        await ConnectionTests.wake(stage)
        #expect(stage.program.take() == [])
    }

    @Test("Order 4, Order 7, B53, B63: connect() on an unpaired button fails at once, each time")
    func connect() async throws {
        let (stage, button) = try await Self.unpaired()
        _ = stage.program.take()
        for _ in 0..<2 {
            button.connect()
            #expect(button.state == .disconnected)
            await stage.settle()
            #expect(stage.program.take() == ["didFailToConnect(flic.unpaired): disconnected unpaired"])
        }
        button.disconnect()
        await stage.settle()
        #expect(stage.program.take() == [])
    }

    @Test("Order 7: the next launch: still unpaired and disconnected, and no second didUnpair")
    func nextLaunch() async throws {
        let (first, _) = try await Self.unpaired()
        let stage = await first.relaunched()
        await stage.settle()
        await ConnectionTests.wake(stage)
        let serial = stage.button.identity.serialNumber
        #expect(
            stage.program.take() == [
                "restored: unknown buttons=1", "  \(serial) delegate=true: disconnected unpaired", "state poweredOn: poweredOn",
            ]
        )
    }

    @Test("Order 7: an unpaired button is forgotten with no call but the completion")
    func forget() async throws {
        let (stage, button) = try await Self.unpaired()
        _ = stage.program.take()
        stage.program.forget(button)
        await stage.settle()
        #expect(stage.program.take() == ["forgot nil same=true listed=false"])
    }

    @Test("B.6.8, B40: pairing an unpaired button anew replaces the old object silently; the new one has the same identifier")
    func pairAnew() async throws {
        let (stage, old) = try await Self.unpaired()
        _ = stage.program.take()
        await stage.button.enterPublicMode()
        stage.program.scan()
        await stage.pass(.seconds(5))
        #expect(stage.program.take() == ScanTests.paired)
        let new = try #require(stage.manager.buttons().first)
        #expect(stage.manager.buttons() == [new])
        #expect(new !== old && new.identifier == old.identifier && !new.isUnpaired && old.isUnpaired)

        // The old object is forgotten: nothing done with it touches the new one.
        old.connect()
        old.disconnect()
        old.nickname = "old"
        old.triggerMode = .click
        stage.program.forget(old)
        await stage.settle()
        #expect(stage.program.take() == ["forgot flic.alreadyForgotten same=true listed=true"])
        #expect(new.state == .connected && new.nickname == nil && new.triggerMode == .clickAndHold)
        await stage.press(for: .milliseconds(100))
        #expect(stage.program.take() == ["down #2", "up #2", "click #2"])
    }

    @Test("B.6.8: a forget of the old object, on its way while the button is paired anew, does not touch the new one")
    func forgetWhilePairedAnew() async throws {
        let (stage, old) = try await Self.unpaired()
        _ = stage.program.take()
        await stage.button.enterPublicMode()
        stage.program.scan()
        await stage.loop.advance(by: .seconds(5))
        #expect(stage.manager.buttons() == [old])
        stage.program.forget(old)
        await stage.settle()
        #expect(stage.program.take().contains("forgot flic.alreadyForgotten same=true listed=true"))
        #expect(stage.manager.buttons().map(\.state) == [.connected])
        let next = await stage.relaunched()
        await next.settle()
        #expect(next.manager.buttons().count == 1)
    }

    @Test("B.6.8: a new pairing that cannot be stored leaves the old object as it was")
    func pairingAnewFails() async throws {
        let store = ScriptedStore()
        let (stage, old) = try await Stage.paired(store: store)
        await stage.button.factoryReset()
        await stage.pass(.seconds(1))
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        _ = stage.program.take()
        store.failsToSave = true
        await stage.button.enterPublicMode()
        stage.program.scan()
        await stage.pass(.seconds(5))
        #expect(stage.program.take().last == "scan done scanner.unknown isScanning=false")
        #expect(stage.manager.buttons() == [old] && old.isUnpaired)
        store.failsToSave = false
        stage.program.forget(old)
        await stage.settle()
        #expect(stage.program.take() == ["forgot nil same=true listed=false"])
    }
}
