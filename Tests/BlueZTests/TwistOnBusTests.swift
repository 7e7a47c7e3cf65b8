import FlicClient
import FlicSimulator
import GATT
import Synchronization
import Testing

@testable import BlueZ

@Suite("A Flic Twist behind bluetoothd", .timeLimit(.minutes(5)), .virtualTime)
struct TwistOnBusTests {
    private final class Told: Sendable {
        private let lines = Mutex<[String]>([])

        func note(_ line: String) { lines.withLock { $0.append(line) } }

        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    @Test("Found by its own service beside a Flic 2, paired, pressed, turned, and found again")
    func story() async throws {
        let stage = try await FakeStage()
        let twist = SimulatedButton(identity: .make(seed: 7, product: .twist), seed: 7, loop: stage.fake.loop)
        let other = SimulatedButton(seed: 8, loop: stage.fake.loop)
        for button in [twist, other] { await stage.fake.air.place(button) }
        let application = await FakeApplication(stage)
        let told = Told()
        await application.flic.observe { notice in
            switch notice {
            case .button(let button, .press(let press), _) where press.kind == .click: told.note("\(button.info.product) click")
            case .button(let button, .turned(let turn), _): told.note("\(button.info.product) \(turn.turns) to \(turn.position ?? -1)")
            default: break
            }
        }
        await twist.enterPublicMode()
        let paired = try await application.flic.pair()
        #expect(paired.info.product == .twist)
        await other.enterPublicMode()
        #expect(try await application.flic.pair().info.product == .flic2)
        await stage.pass(.seconds(10))
        await twist.click()
        await twist.turn(by: 0.25)
        await stage.pass(.seconds(2))
        #expect(Set(told.take()) == ["twist click", "twist 0.25 to 0.25"])
        await paired.disconnect()
        await stage.pass(.seconds(10))
        await paired.connect()
        await twist.click()
        await stage.pass(.seconds(30))
        #expect(paired.info.isReady)
        await twist.turn(by: 0.5)
        await other.click()
        await stage.pass(.seconds(2))
        #expect(Set(told.take()) == ["twist click", "twist 0.5 to 0.75", "flic2 click"])
    }
}
