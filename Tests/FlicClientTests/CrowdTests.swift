import FlicClient
import FlicSimulator
import FoundationEssentials
import GATT
import Synchronization
import Testing

@Suite("More buttons than connections")
struct CrowdTests {
    /// Many buttons around an adapter that holds few links, all paired.
    private final class Crowd: Sendable {
        let loop: VirtualLoop
        let buttons: [SimulatedButton]
        let flic: Flic
        let central: SimulatedCentral
        let remarks = Remarks()
        private let clicks = Mutex<[BluetoothAddress: [Duration]]>([:])

        init(_ count: Int, limit: Int, loop: VirtualLoop) async throws {
            self.loop = loop
            let air = SimulatedAir(loop: loop)
            central = SimulatedCentral(air: air)
            await central.setLinkLimit(limit)
            buttons = (1...UInt64(count)).map { SimulatedButton(seed: $0, loop: loop) }
            for button in buttons { await air.place(button) }
            var configuration = FlicConfiguration(central: central, store: MemoryStore(), trustingTestRoot: TestRoot.publicKey)
            configuration.log = { [remarks] in remarks.note($0, $1) }
            flic = Flic(configuration)
            await flic.observe { [weak self] notice in
                guard let self, case .button(let button, .press(let event), _) = notice, event.kind == .click else { return }
                clicks.withLock { $0[button.info.address, default: []].append(loop.now) }
            }
            await flic.start()
        }

        func pairAll() async throws {
            for button in buttons {
                await button.enterPublicMode()
                _ = try await flic.pair()
            }
        }

        /// How long each of these clicks takes from the finger to the program; nil where it has not come within two minutes, or not once.
        func delays(_ pressed: [SimulatedButton], every pause: Duration) async -> [Duration?] {
            clicks.withLock { $0 = [:] }
            var starts: [Duration] = []
            for button in pressed {
                starts.append(loop.now)
                await button.click()
                await loop.pause(for: pause)
            }
            await loop.pause(for: .seconds(120))
            let clicks = clicks.withLock { $0 }
            return zip(pressed, starts).map { button, start in
                guard let times = clicks[button.address], times.count == 1 else { return nil }
                return times[0] - start
            }
        }
    }

    private static func run(_ count: Int, limit: Int, _ body: @escaping @Sendable (Crowd) async throws -> Void) async throws {
        let loop = VirtualLoop(patience: .seconds(60))
        try await loop.run(timeLimit: .seconds(24 * 3600)) {
            let crowd = try await Crowd(count, limit: limit, loop: loop)
            try await body(crowd)
        }
    }

    @Test("24 buttons, 5 connections: they are paired one after the other, each click is heard once within 7 s, and the limit is told once")
    func turns() async throws {
        try await Self.run(24, limit: 5) { crowd in
            try await crowd.pairAll()
            #expect(await crowd.flic.buttons.count == 24)
            #expect(await crowd.flic.connectionLimit == 5)
            await crowd.loop.pause(for: .seconds(60))
            let delays = await crowd.delays(crowd.buttons.shuffled(), every: .seconds(9))
            #expect(!delays.contains(nil))
            #expect(delays.compactMap(\.self).max()! < .seconds(7))
            #expect(crowd.remarks.notices.filter { $0.contains("holds 5 connections") }.count == 1)
        }
    }

    @Test("All 24 at once: each click is heard once, the last within half a minute")
    func rush() async throws {
        try await Self.run(24, limit: 5) { crowd in
            try await crowd.pairAll()
            await crowd.loop.pause(for: .seconds(60))
            let delays = await crowd.delays(crowd.buttons, every: .zero)
            #expect(!delays.contains(nil))
            #expect(delays.compactMap(\.self).max()! < .seconds(30))
        }
    }

    @Test("Idle links are given back by themselves where there are too few, and kept for ever where there are enough")
    func autoDisconnect() async throws {
        try await Self.run(3, limit: 2) { crowd in
            try await crowd.pairAll()
            await crowd.loop.pause(for: .seconds(120))
            #expect(await crowd.flic.buttons.filter { $0.info.state == .connected }.isEmpty)
            #expect(await crowd.flic.buttons.allSatisfy { $0.info.autoDisconnectTime == nil }, "it is not the button's setting")
            await crowd.central.setLinkLimit(nil)
            await crowd.loop.pause(for: .seconds(600))
            _ = await crowd.delays(crowd.buttons, every: .seconds(1))
            #expect(await crowd.flic.buttons.allSatisfy { $0.info.state == .connected })
            await crowd.loop.pause(for: .seconds(3600))
            #expect(await crowd.flic.buttons.allSatisfy { $0.info.state == .connected })
        }
    }
}
