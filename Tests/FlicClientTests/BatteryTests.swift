import FlicClient
import FlicSimulator
import Foundation
import Testing

@Suite("Battery (contract B49, B70; protocol 9.2)")
struct BatteryTests {
    @Test("B49 volts, an estimate in percent, and whether it is low, from the pairing on")
    func facts() async throws {
        try await Scene.run { scene in
            await scene.button.setBattery(volts: 2.5)
            let battery = try #require(try await scene.pair().info.battery)
            #expect((battery.volts * 1000).rounded() == 2500 && battery.estimatedPercent == 9 && battery.isLow)
        }
    }

    @Test("B49 unknown is not 0: without a sample there is no battery")
    func unknown() async throws {
        try await Scene.run { scene in
            _ = try await scene.pair()
            await scene.flic.stop()
            var record = try #require(scene.store.contents.first)
            record.batteryLevel = nil
            let flic = Scene.application(on: scene.air, store: MemoryStore([record]))
            await flic.start()
            let info = try #require(await flic.buttons.first).info
            #expect(info.battery == nil && info.batteryVoltage == nil)
        }
    }

    @Test(
        "Low from below 2.65 V until 2.75 V; between the two it stays what it was",
        arguments: [
            [(2.651, false), (2.647, true), (2.651, true), (2.749, true), (2.753, false), (2.651, false), (2.647, true)],
            [(2.647, true), (2.999, false), (2.7, false)], [(0, true), (2.7, true), (3.6, false)],
        ]
    )
    func hysteresis(samples: [(volts: Double, isLow: Bool)]) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            for (volts, isLow) in samples {
                await scene.button.setBattery(volts: volts)
                await scene.pass(.seconds(3 * 3600 + 10))
                #expect(button.info.battery.map { ($0.volts * 1000).rounded() } == (volts * 1000).rounded())
                #expect(button.info.battery?.isLow == isLow, "\(volts)")
            }
        }
    }

    @Test("B70 each sample has its own time: with the pairing, after a reconnect, and every three hours")
    func time() async throws {
        try await Scene.run { scene in
            let begin = Date(timeIntervalSince1970: 1_000_000_000)
            let store = MemoryStore()
            let flic = Scene.application(on: scene.air, store: store) { [loop = scene.loop] in
                $0.date = { begin + loop.now / .seconds(1) }
            }
            await flic.start()
            await scene.button.enterPublicMode()
            let button = try await flic.pair()
            /// Seconds since the beginning.
            func time() -> TimeInterval { button.info.battery?.date.timeIntervalSince(begin) ?? -1 }
            #expect((0..<10).contains(time()))
            await scene.pass(.seconds(1000))
            #expect((0..<10).contains(time()))
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(100))
            let reconnected = time()
            #expect((1000..<1020).contains(reconnected))
            await scene.pass(.seconds(3 * 3600))
            #expect(abs(time() - reconnected - 10_800) <= 1)
            #expect(store.contents.first?.batteryTime == 1_000_000_000 + UInt64(time()))
        }
    }

    @Test("What is known of the battery is known to the next run before it connects: low stays low")
    func restart() async throws {
        try await Scene.run { scene in
            await scene.button.setBattery(volts: 2.6)
            let first = try await scene.pair()
            await scene.button.setBattery(volts: 2.7)
            await scene.pass(.seconds(3 * 3600 + 10))
            await scene.flic.stop()
            await scene.pass(.seconds(2))
            let known = try #require(first.info.battery)
            #expect(known.isLow)
            let flic = Scene.application(on: scene.air, store: scene.store)
            await flic.start()
            let button = try #require(await flic.buttons.first)
            #expect(button.info.battery == known)
            await scene.button.click()
            await scene.pass(.seconds(5))
            #expect(button.info.isReady && button.info.battery?.isLow == true)
        }
    }
}
