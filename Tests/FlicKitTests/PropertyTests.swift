import FlicKit
import FlicSimulator
import Foundation
import Testing

@Suite("Properties of a button")
struct PropertyTests {
    @Test("B40: the identifier is the same for this Flic and machine, in every program and after pairing anew; it tells neither")
    func identifier() async throws {
        let (one, first) = try await Stage.paired()
        let two = Stage(near: one)
        await two.settle()
        let second = try await two.pair()
        await one.settle()
        #expect(first.identifier == second.identifier)
        #expect(!first.identifier.uuidString.replacing("-", with: "").contains(first.uuid.uppercased()))
    }

    @Test("B41: the delegate is weak, and the one set at the time of a call gets it")
    func delegate() async throws {
        let (stage, button) = try await Stage.paired()
        let other = Program()
        other.watch(stage.manager)
        await stage.button.press()
        await stage.loop.advance(by: .milliseconds(10))
        button.delegate = other
        await stage.settle()
        #expect(stage.program.take() == [])
        #expect(other.take() == ["down #1"])
        do {
            let passing = Program()
            button.delegate = passing
            #expect(button.delegate === passing)
        }
        #expect(button.delegate == nil)
    }

    @Test("B42, B47, B49, B51: name, firmware, battery, address, uuid and serial number, in their forms")
    func facts() async throws {
        let (stage, button) = try await Stage.paired()
        let identity = stage.button.identity
        #expect(button.name?.isEmpty == false)
        #expect(button.firmwareRevision == (await stage.button.firmwareVersion))
        #expect(button.batteryVoltage > 2.5 && button.batteryVoltage < 3.6)
        #expect(button.bluetoothAddress == "00:\(identity.address)")
        #expect(button.bluetoothAddress.wholeMatch(of: /00(:[0-9A-F]{2}){6}/) != nil)
        #expect(button.uuid.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(button.uuid == identity.uuid.map { String(format: "%02x", $0) }.joined())
        #expect(button.serialNumber == identity.serialNumber)
        #expect(!button.isUnpaired)
    }

    // MARK: Nickname

    @Test("B43: the nickname is nil unless set, reads back at once, goes to the button and makes no call")
    func nickname() async throws {
        let (stage, button) = try await Stage.paired()
        #expect(button.nickname == nil)
        button.nickname = "Kitchen Flic"
        #expect(button.nickname == "Kitchen Flic")
        await stage.pass(.seconds(1))
        #expect(await stage.button.name == "Kitchen Flic")
        #expect(stage.program.take() == [])
    }

    @Test(
        "B43: at most 23 bytes, cut between Unicode scalars",
        arguments: [
            ("12345678901234567890123", "12345678901234567890123"), ("123456789012345678901234", "12345678901234567890123"),
            ("äöüäöüäöüäöüäöü", "äöüäöüäöüäö"), ("😀😀😀😀😀😀", "😀😀😀😀😀"), ("1234567890123456789012é", "1234567890123456789012"),
        ]
    )
    func cutNickname(text: String, cut: String) async throws {
        let (stage, button) = try await Stage.paired()
        button.nickname = text
        #expect(button.nickname == cut)
        await stage.pass(.seconds(1))
        #expect(await stage.button.name == cut)
        #expect(button.nickname == cut)
    }

    @Test("B43: nil and \"\" clear the name on the button and read back as set", arguments: [nil, ""])
    func clearNickname(text: String?) async throws {
        let (first, button) = try await Stage.paired()
        button.nickname = "Bedroom"
        await first.pass(.seconds(1))
        button.nickname = text
        #expect(button.nickname == text)
        await first.pass(.seconds(1))
        #expect(button.nickname == text)
        #expect(await first.button.name == "")
        let stage = await first.relaunched()
        await stage.settle()
        #expect(stage.manager.buttons().map(\.nickname) == [text])
    }

    @Test("B43: a name set while the button is away is sent in the next session, also after a restart")
    func nicknameForLater() async throws {
        let (first, button) = try await Stage.paired()
        await first.carryAway()
        button.nickname = "Later"
        await first.settle()
        let stage = await first.relaunched()
        await stage.bringBack()
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        #expect(await stage.button.name == "Later")
        #expect(!stage.program.take().contains { $0.hasPrefix("nickname") })
    }

    @Test("B71, Order 2 step 7: a name set by another app while connected, and while away: told after isReady, the property has it already")
    func renamedByOthers() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.button.setName("Theirs")
        await stage.pass(.seconds(1))
        #expect(stage.program.take() == ["nickname Theirs same=true: connected ready"])
        #expect(button.nickname == "Theirs")
        await stage.carryAway()
        await stage.button.setName("Theirs too")
        await stage.bringBack()
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        let trace = ConnectionTests.withoutPresses(stage.program.take())
        #expect(
            trace == ["didDisconnect(CBErrorDomain 6): connecting"] + ConnectionTests.connected + ["nickname Theirs too same=true: connected ready"]
        )
    }

    @Test("B.6.7: of two names given while the button was away, the later one wins")
    func laterNameWins() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.carryAway()
        await stage.button.setName("From the future", unixTime: 1 << 46)
        button.nickname = "Mine"
        #expect(button.nickname == "Mine")
        await stage.bringBack()
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        #expect(stage.program.take().last == "nickname From the future same=true: connected ready")
        #expect(button.nickname == "From the future")
    }

    // MARK: Battery, latency

    @Test("B49, B70: a sample is told also if it is an equal one; the property has it already; it is kept")
    func battery() async throws {
        let (first, button) = try await Stage.paired()
        let sample = button.batteryVoltage
        await first.carryAway()
        await first.bringBack()
        await first.press(for: .milliseconds(100))
        await first.pass(.seconds(5))
        #expect(first.program.take().last == "battery same=true: connected ready")
        #expect(button.batteryVoltage == sample)
        await first.button.setBattery(volts: 2.5)
        await first.pass(.seconds(3 * 3600 + 60), step: .seconds(5))
        #expect(first.program.take() == ["battery same=true: connected ready"])
        #expect(abs(button.batteryVoltage - 2.5) < 0.01)
        let stage = await first.relaunched()
        await stage.settle()
        #expect(stage.manager.buttons().map(\.batteryVoltage) == [button.batteryVoltage])
    }

    @Test("B9, B52: latencyMode is normal unless set, reads back at once, is sent, also in the next session, and is not kept")
    func latency() async throws {
        let (first, button) = try await Stage.paired()
        #expect(button.latencyMode == .normal)
        var parameters = try #require(await first.button.connectionParameters)
        #expect(parameters.latency == 17 && parameters.minimumInterval == .milliseconds(100))
        button.latencyMode = .low
        #expect(button.latencyMode == .low)
        await first.pass(.seconds(1))
        parameters = try #require(await first.button.connectionParameters)
        #expect(parameters.maximumInterval < .milliseconds(30))
        await first.button.reboot()
        await first.press(for: .milliseconds(100))
        await first.pass(.seconds(5))
        #expect(await first.button.connectionParameters == parameters)
        let stage = await first.relaunched()
        await stage.settle()
        #expect(stage.manager.buttons().map(\.latencyMode) == [.normal])
    }

    @Test("B55: FLICButton() is inert")
    func inertButton() {
        let button = FLICButton()
        button.connect()
        button.disconnect()
        button.nickname = "nobody"
        button.triggerMode = .click
        button.latencyMode = .low
        #expect(button.state == .disconnected && !button.isReady && !button.isUnpaired)
        #expect(button.nickname == nil && button.name == nil)
        #expect(button.uuid.isEmpty && button.serialNumber.isEmpty && button.bluetoothAddress.isEmpty)
        #expect(button.pressCount == 0 && button.firmwareRevision == 0 && button.batteryVoltage == 0)
        #expect(button.triggerMode == .clickAndHold && button.latencyMode == .normal)
        #expect(button.identifier == FLICButton().identifier)
    }
}
