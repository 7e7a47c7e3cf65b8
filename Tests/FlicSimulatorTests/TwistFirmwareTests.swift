import FlicClient
import FlicProtocol
import FlicSimulator
import GATT
import Testing

/// The Twist's side alone: what it says to clients that a session of the library would never be.
@Suite("A simulated Twist")
struct TwistFirmwareTests {
    private static let pairing = Pairing(SecretBytes([UInt8](0..<20)))!

    private static func firmware() -> ButtonFirmware {
        var firmware = ButtonFirmware(identity: .make(seed: 1, product: .twist), generator: SeededGenerator(seed: 1), bootID: 7)
        firmware.pairings.insert(pairing)
        _ = firmware.linkUp(mtu: 140, at: 0)
        return firmware
    }

    private static func sent(_ actions: [ButtonFirmware.Action]) -> [[UInt8]] {
        actions.compactMap { if case .send(let packet) = $0 { packet } else { nil } }
    }

    /// A firmware with a session, and the client's signer.
    private static func verified() throws -> (ButtonFirmware, PacketSigner) {
        var firmware = firmware()
        let random: [UInt8] = [1, 2, 3, 4, 5, 6, 7]
        let request = Twist.QuickVerifyRequest(
            .with {
                $0.clientRandom = random
                $0.tmpID = 9
                $0.pairingIdentifier = pairing.identifier
            }
        )
        let answer = try #require(sent(firmware.receive(request.body, at: 0)).first)
        let decoded = Twist.QuickVerifyResponse(body: answer.span)
        let response = try #require(decoded)
        let key = ChaskeyLTS.quickVerifyKey(pairing: pairing, clientRandom: random, flags: 0, buttonRandom: response.buttonRandom)
        return (firmware, PacketSigner(key: ChaskeyLTS(key: key), direction: .toButton))
    }

    @Test("In public mode it names its service, its kind and its name")
    func advertisement() {
        var firmware = Self.firmware()
        _ = firmware.linkLost(.lost, at: 1)
        _ = firmware.enterPublicMode(at: 2)
        let advertisement = firmware.advertisement
        #expect(advertisement.services == [FlicGATT.twist.service] && advertisement.name?.hasPrefix("T010") == true)
        #expect(advertisement.manufacturerData[FlicGATT.company]?.first == 2)
    }

    @Test("A client that names version 2 gets events of eight bytes, others of seven", arguments: [nil, 1, 2] as [UInt8?])
    func versions(_ version: UInt8?) throws {
        var (firmware, signer) = try Self.verified()
        var request = Twist.InitButtonEventsRequest()
        request.apiVersion = version
        request.bootID = 7
        let answer = try #require(Self.sent(firmware.receive(signer.sign(request.body), at: 10)).first)
        #expect(answer.count == (version == 2 ? 16 : 15) + PacketSigner.tagLength && answer[0] == 8)
        let event = try #require(Self.sent(firmware.press(at: 20)).first)
        #expect(event.count == 5 + (version == 2 ? 8 : 7) + PacketSigner.tagLength && event[0] == 9 && event[11] & 0x0F == 1)
    }

    @Test("A wrong signature ends the session for reason 0, a farewell for reason 1, and another client can come")
    func ends() throws {
        var (firmware, signer) = try Self.verified()
        #expect(Self.sent(firmware.receive([10, 1, 2, 3, 4, 5], at: 1)).first?.prefix(2) == [7, 0])
        #expect(firmware.sessionCount == 0)
        (firmware, signer) = try Self.verified()
        #expect(Self.sent(firmware.receive(signer.sign([8]), at: 1)).first?.prefix(2) == [7, 1])
        #expect(Self.sent(firmware.receive(Twist.FullVerifyRequest1().body, at: 2)).first?.first == 0)
    }

    @Test("Random packets, signed and not, end no session but by a wrong signature", arguments: [UInt64(1), 2])
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (firmware, signer) = try Self.verified()
        var sessions = 0
        for round in 0..<30_000 {
            if !firmware.isLinked || firmware.sessionCount == 0 {
                (firmware, signer) = try Self.verified()
                sessions += 1
            }
            let opcode = UInt8.random(in: 0..<30, using: &random)
            let body = [opcode] + (0..<Int.random(in: 0...90, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            let isSigned = !round.isMultiple(of: 50)
            let answers = Self.sent(firmware.receive(isSigned ? signer.sign(body) : body, at: UInt64(round)))
            if isSigned, ![5, 6, 8].contains(opcode) {
                #expect(!firmware.isLinked || firmware.sessionCount == 1, "\(body)")
                #expect(!answers.contains { $0.first == 7 }, "\(body)")
            }
            if round.isMultiple(of: 16) { _ = firmware.twist(by: .random(in: -9_000_000...9_000_000, using: &random), at: UInt64(round)) }
            if round.isMultiple(of: 40) { _ = firmware.press(at: UInt64(round)) + firmware.release(at: UInt64(round)) }
        }
        #expect(sessions > 100)
    }
}

extension Packet {
    /// A packet with some fields set.
    fileprivate static func with(_ setFields: (inout Self) -> Void) -> Self {
        var packet = Self()
        setFields(&packet)
        return packet
    }
}
