import FlicClient
import FlicSimulator
import GATT
import Synchronization
import Testing

@testable import BlueZ

@Suite("24 buttons at an adapter that holds 5 links", .timeLimit(.minutes(5)), .virtualTime)
struct CrowdOnBusTests {
    /// When clicks were told, by button.
    private final class Clicks: Sendable {
        private let times = Mutex<[BluetoothAddress: [Duration]]>([:])

        func note(_ address: BluetoothAddress, at time: Duration) { times.withLock { $0[address, default: []].append(time) } }

        func take() -> [BluetoothAddress: [Duration]] {
            times.withLock { times in
                defer { times = [:] }
                return times
            }
        }
    }

    @Test("Each press is heard, once: one at a time within 15 s, all at once within 90 s")
    func turns() async throws {
        let stage = try await FakeStage()
        await stage.fake.setLinkLimit(5)
        let buttons = (1...24).map { SimulatedButton(seed: $0, loop: stage.fake.loop) }
        for button in buttons { await stage.fake.air.place(button) }
        let application = await FakeApplication(stage)
        let clicks = Clicks()
        await application.flic.observe { notice in
            guard case .button(let button, .press(let event), _) = notice, event.kind == .click else { return }
            clicks.note(button.info.address, at: stage.now)
        }
        for button in buttons {
            await button.enterPublicMode()
            _ = try await application.flic.pair()
        }
        #expect(await application.flic.connectionLimit == 5)
        await stage.pass(.seconds(60))

        var single: [Duration] = []
        for button in buttons {
            let start = stage.now
            await button.click()
            await stage.pass(.seconds(20))
            let told = clicks.take()
            #expect(told.count == 1 && told[button.address]?.count == 1)
            if let time = told[button.address]?.first { single.append(time - start) }
        }
        #expect(single.max()! < .seconds(15))

        let start = stage.now
        for button in buttons { await button.click() }
        await stage.pass(.seconds(200))
        let told = clicks.take()
        #expect(told.count == 24 && told.values.allSatisfy { $0.count == 1 })
        #expect(told.values.compactMap(\.first).max()! - start < .seconds(90))
    }
}
