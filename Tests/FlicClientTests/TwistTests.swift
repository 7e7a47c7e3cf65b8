import ClickClassifier
import FlicSimulator
import FoundationEssentials
import GATT
import Testing

@testable import FlicClient

@Suite("A Flic Twist")
struct TwistTests {
    /// A scene with a Twist that has been paired.
    private static func run(
        _ change: @escaping @Sendable (inout FlicConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (Scene, FlicButton) async throws -> Void
    ) async throws {
        try await Scene.run(identity: .make(seed: 1, product: .twist), configure: change) { scene in
            let button = try await scene.pair()
            try await button.ready()
            await scene.pass(.seconds(1))
            _ = scene.trace.take()
            try await body(scene, button)
        }
    }

    @Test("Is paired as what it is, with its own battery, and found again after a lost link")
    func pairing() async throws {
        try await Self.run { scene, button in
            #expect(button.info.product == .twist && button.info.serialNumber.hasPrefix("T"))
            #expect(button.info.name.hasPrefix("T010") && button.info.battery?.volts == 3.0 && button.info.battery?.isLow == false)
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(30))
            #expect(button.info.isReady)
            await scene.button.setBattery(volts: 2.2)
            await scene.pass(.seconds(3 * 3600))
            #expect(button.info.battery?.volts == 2.2 && button.info.battery?.isLow == true)
        }
    }

    @Test("Over a connection whose values are too small, pairing fails for a reason that can be read", arguments: [23, 139])
    func smallMTU(_ mtu: Int) async throws {
        try await Scene.run(identity: .make(seed: 1, product: .twist), mtu: mtu) { scene in
            await scene.button.enterPublicMode()
            let failure = await scene.pairingFailure()
            #expect(failure?.code == .connectFailed && failure?.detail.contains("\(mtu)") == true)
        }
    }

    @Test("Clicks, double clicks and holds, each with its mode", arguments: [0, 7, 12])
    func presses(mode: Int) async throws {
        try await Self.run {
            $0.clickRules = .standard(.clickAndDoubleClickAndHold)
        } _: { scene, button in
            var presses = button.pressEvents().makeAsyncIterator()
            await scene.button.selectMode(mode)
            await scene.button.doubleClick()
            await scene.pass(.seconds(1))
            await scene.button.click()
            await scene.pass(.seconds(1))
            await scene.button.hold()
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "up", "down", "up", "doubleClick", "down", "up", "click", "down", "hold", "up"])
            for _ in 0..<11 { #expect(await presses.next()?.twistMode == mode) }
        }
    }

    @Test(
        "A second press that is held makes a click of the first, and is one of its own",
        arguments: [
            (.clickAndHold, ["down", "up", "click", "down", "hold", "up"]),
            (.clickAndDoubleClick, ["down", "up", "down", "click", "up", "click"]),
            (.clickAndDoubleClickAndHold, ["down", "up", "down", "click", "hold", "up"]),
        ] as [(TriggerMode, [String])]
    )
    func heldSecond(mode: TriggerMode, told: [String]) async throws {
        try await Self.run {
            $0.clickRules = .standard(mode)
        } _: { scene, _ in
            await scene.button.click()
            await scene.pass(.milliseconds(150))
            await scene.button.press(for: .milliseconds(1500))
            await scene.pass(.seconds(2))
            #expect(scene.trace.take() == told)
        }
    }

    @Test("Turns are told with their mode and place, and the place is kept from session to session and run to run")
    func turns() async throws {
        try await Self.run { scene, button in
            var turns = button.turns().makeAsyncIterator()
            await scene.button.turn(by: 0.25)
            await scene.button.selectMode(3)
            await scene.button.turn(by: 2)
            await scene.button.press()
            await scene.button.turn(by: 0.5)
            await scene.button.release()
            await scene.pass(.seconds(1))
            #expect(await turns.next() == ButtonTurn(buttonNumber: 0, turns: 0.25, twistMode: 0, position: 0.25))
            #expect(await turns.next() == ButtonTurn(buttonNumber: 0, turns: 2, twistMode: 3, position: 1))
            #expect(await turns.next() == ButtonTurn(buttonNumber: 0, turns: 0.5, twistMode: 12, position: 0.5))
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(30))
            #expect(await scene.button.twistPosition(mode: 3) == 1 && button.info.twistPosition(mode: 3) == 1)
            await scene.button.turn(by: -0.5)
            await scene.pass(.seconds(61))
            #expect(await turns.next()?.position == 0.5)
            let record = try #require(scene.store.contents.first)
            #expect(record.twistPositions[0] == 12_288 && record.twistPositions[3] == 24_576)
            #expect(button.info.twistPosition() == 0.25 && button.info.twistPosition(mode: 13) == nil)
        }
    }

    @Test("A place can be set, at once or before the next session; both sides agree")
    func setPosition() async throws {
        try await Self.run { scene, button in
            await button.setTwistPosition(0.75, mode: 0)
            await scene.pass(.seconds(1))
            #expect(await scene.button.twistPosition() == 0.75)
            await button.disconnect()
            await scene.pass(.seconds(5))
            await button.setTwistPosition(0.5, mode: 0)
            await button.setTwistPosition(0.5, mode: 13)
            await button.connect()
            await scene.button.click()
            await scene.pass(.seconds(5))
            #expect(button.info.isReady)
            #expect(await scene.button.twistPosition() == 0.5)
        }
    }

    @Test("How it behaves is told at once, kept in the store, and told again")
    func configuration() async throws {
        try await Self.run { scene, button in
            var wanted = TwistConfiguration()
            wanted[5].lights = .point
            wanted[5].hasDoubleClick = false
            wanted[12].timeout = nil
            await button.setTwist(wanted)
            await scene.pass(.seconds(1))
            #expect(button.info.twist == wanted)
            let told = await scene.button.twistLights(mode: 5)
            #expect(told == 2)
            #expect(scene.store.contents.first?.twist == wanted)
            await scene.button.reboot()
            await scene.button.click()
            await scene.pass(.seconds(60))
            #expect(button.info.isReady)
            #expect(await scene.button.twistLights(mode: 5) == 2)
            await button.setTwist(nil)
            await scene.pass(.seconds(1))
            #expect(await scene.button.twistLights(mode: 5) == 1)
        }
    }

    @Test("Everything comes back from the store; a damaged mode is the usual one, and an older file has none of it")
    func store() async throws {
        let record = try await Scene.run(identity: .make(seed: 1, product: .twist)) { scene in
            let button = try await scene.pair()
            var wanted = TwistConfiguration()
            wanted[1].lights = .none
            wanted[1].extraLights = 3
            wanted[2].timeout = nil
            wanted[3].hasClick = false
            await button.setTwist(wanted)
            await button.setTwistPosition(0.5, mode: 4)
            await scene.pass(.seconds(1))
            return try #require(scene.store.contents.first)
        }
        let bytes = StoredButtons.bytes(of: [record], sequence: 1)
        #expect(try StoredButtons.records(in: Data(bytes)).records == [record])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\"product\" : \"twist\""))
        let damaged = text.replacing("\"lights\" : \"none\"", with: "\"lights\" : \"disco\"")
        #expect(try StoredButtons.records(in: Data(damaged.utf8)).records.first?.twist?[1].lights == .fill)
        var plain = record
        (plain.twist, plain.twistPositions) = (nil, [])
        let short = String(decoding: StoredButtons.bytes(of: [plain], sequence: 1), as: UTF8.self)
        #expect(!short.contains("twistModes"))
        #expect(try StoredButtons.records(in: Data(short.utf8)).records == [plain])
    }

    @Test("What happened out of range is told afterwards, the last sixteen events at most")
    func queue() async throws {
        try await Self.run { scene, button in
            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(10))
            for _ in 0..<6 {
                await scene.button.click()
                await scene.pass(.seconds(1))
            }
            _ = scene.trace.take()
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(60))
            let told = scene.trace.take().filter { $0.hasPrefix("down") || $0.hasPrefix("up") || $0.hasPrefix("click") }
            // Eighteen events: the first press has lost its down and its up.
            #expect(told.count == 15 && told.allSatisfy { $0.contains("queued") } && button.info.isReady, "\(told)")
        }
    }

    @Test("Forgetting, and pairing with a Flic 2 and a Twist in the same place")
    func both() async throws {
        try await Self.run { scene, button in
            let other = SimulatedButton(identity: .make(seed: 2), seed: 2, loop: scene.loop)
            await scene.air.place(other)
            await other.enterPublicMode()
            let second = try await scene.flic.pair()
            #expect(second.info.product == .flic2 && button.info.product == .twist)
            await scene.pass(.seconds(5))
            _ = scene.trace.take()
            await other.click()
            await scene.button.turn(by: 0.5)
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "up", "click", "turned 0.5"])
            try await scene.flic.forget(button)
            #expect(await scene.flic.buttons.count == 1)
        }
    }
}
