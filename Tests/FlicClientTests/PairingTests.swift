import FlicClient
import FlicSimulator
import Testing

@Suite("Pairing (contract B.6.3)")
struct PairingTests {
    @Test("A button is found, paired, stored, and ready; then presses come")
    func pairing() async throws {
        try await Scene.run { scene in
            await scene.button.enterPublicMode()
            let steps = Trace()
            let button = try await scene.flic.pair { steps.note($0.rawValue) }
            #expect(steps.take() == ["discovered", "connected", "verified"])
            #expect(await scene.flic.buttons.map(\.identifier) == [button.identifier])
            #expect(scene.store.contents.map(\.identifier) == [button.identifier])
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["restored 0", "state poweredOn", "ready, connected", "battery 3.0", "queue finished"])
            await button.setClickRules(.standard(.clickAndDoubleClickAndHold))
            await scene.button.click()
            await scene.pass(.seconds(1))
            await scene.button.doubleClick()
            await scene.pass(.seconds(1))
            await scene.button.hold()
            await scene.pass(.seconds(1))
            #expect(
                scene.trace.take() == [
                    "down", "up", "click", "down", "up", "down", "up", "doubleClick", "down", "hold", "up",
                ]
            )
        }
    }
}
