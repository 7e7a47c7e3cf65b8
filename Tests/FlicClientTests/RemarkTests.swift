import FlicClient
import FlicSimulator
import Testing

@Suite("Remarks")
struct RemarkTests {
    @Test("An application remarks on its buttons by area and serial number, without keys")
    func remarks() async throws {
        let remarks = Remarks()
        let loop = VirtualLoop(patience: .seconds(30))
        let serial = try await loop.run {
            let air = SimulatedAir(loop: loop)
            let button = SimulatedButton(seed: 1, loop: loop)
            await air.place(button)
            let flic = Scene.application(on: air, store: MemoryStore()) { $0.log = { remarks.note($0, $1) } }
            await flic.start()
            await button.enterPublicMode()
            let paired = try await flic.pair()
            await air.loseLink(to: button.address)
            await button.click()
            await loop.pause(for: .seconds(10))
            return paired.info.serialNumber
        }
        #expect(
            remarks.all.map { "\($0) \($1)" } == [
                "debug session \(serial): ready", "debug session \(serial): disconnected: timeout: link lost", "debug session \(serial): connected",
                "debug session \(serial): ready",
            ]
        )
    }
}
