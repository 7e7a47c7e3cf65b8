import Fixtures
import FlicProtocol
import Testing

@Suite("Pairing (protocol 5.1, 5.2, 6.2)")
struct FullVerifyTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton()

    /// A session that waits for the first answer.
    private mutating func waitingForCertificate() -> HostSession {
        var session = button.client(nil)
        #expect(session.start() == button.hears(button.fullVerifyRequest1))
        return session
    }

    /// A session that waits for the second answer; the button has the session key.
    private mutating func waitingForIntroduction() -> HostSession {
        var session = waitingForCertificate()
        #expect(session.receive(button.says(button.certificate)) == button.hears(button.fullVerifyRequest2))
        button.beginFullSession()
        return session
    }

    @Test("A client without a pairing pairs, at every kind of MTU, with and without Duo", arguments: [0, HostSession.duoFlag], [23, 24, 64, 140])
    func pairs(flags: UInt8, mtu: Int) {
        var button = ScriptedButton(mtu: mtu, flags: flags)
        var session = button.client(nil)
        #expect(session.start() == button.hears(button.fullVerifyRequest1))
        #expect(session.receive(button.says(button.certificate)) == button.hears(button.fullVerifyRequest2))
        #expect(!session.isEstablished)
        button.beginFullSession()
        let request = button.initRequest(EventPosition(), maximumQueued: 0)
        #expect(session.receive(button.says(button.introduction)) == [button.paired(), .verified] + button.hears(request))
        #expect(session.isEstablished)
    }

    @Test("Any id that the button assigns is taken", arguments: 1...31)
    func connectionID(_ id: UInt8) {
        var button = ScriptedButton(connectionID: id)
        var session = button.client(nil)
        _ = session.start()
        #expect(session.receive(button.says(button.certificate)) == button.hears(button.fullVerifyRequest2))
        button.beginFullSession()
        #expect(session.receive(button.says(button.introduction)).prefix(2) == [button.paired(), .verified])
    }

    @Test("An answer with the id zero assigns it, as with the other clients (protocol 3)")
    func connectionIDZero() {
        var button = ScriptedButton(connectionID: 0)
        var session = button.client(nil)
        _ = session.start()
        #expect(session.receive(button.says(button.certificate, isNewlyAssigned: false)) == button.hears(button.fullVerifyRequest2))
    }

    // MARK: Waiting for the certificate

    @Test("The answer to another client is ignored, and the own one is still taken")
    mutating func foreignTemporaryID() {
        var session = waitingForCertificate()
        let foreign = button.certificate { $0.tmpID ^= 0x8000_0000 }
        #expect(session.receive(button.says(foreign, id: 9)) == [.ignored(.foreignTemporaryID)])
        #expect(session.receive(button.says(button.certificate)) == button.hears(button.fullVerifyRequest2))
    }

    @Test("A frame for an id that others have is not even looked at")
    mutating func notAssigned() {
        var session = waitingForCertificate()
        #expect(session.receive(button.says(button.certificate, isNewlyAssigned: false)) == [.ignored(.notMine)])
        #expect(session.receive(button.says(button.certificate)) == button.hears(button.fullVerifyRequest2))
    }

    @Test("A certificate that is too short is ignored; one with bytes of a later firmware is taken")
    mutating func certificateLength() {
        var session = waitingForCertificate()
        let body = button.certificate.body
        for length in [1, 2, 5, 116] {
            let frames = button.says(body: Array(body.prefix(length)), isSigned: false, isNewlyAssigned: true)
            #expect(session.receive(frames) == [.ignored(.tooShort)])
        }
        let longer = button.says(body: body + [1, 2, 3], isSigned: false, isNewlyAssigned: true)
        #expect(session.receive(longer) == button.hears(button.fullVerifyRequest2))
    }

    @Test("What is sent of the two hidden bits means nothing", arguments: UInt8(0)...3)
    mutating func hiddenBits(_ bits: UInt8) {
        var session = waitingForCertificate()
        var certificate = button.certificate
        certificate.signature[32] = certificate.signature[32] & 0xFC | bits
        #expect(session.receive(button.says(certificate)) == button.hears(button.fullVerifyRequest2))
    }

    @Test("A genuine certificate for another address is refused", arguments: 0..<6)
    mutating func otherAddress(_ index: Int) {
        var session = waitingForCertificate()
        let other = button.certificate { $0.address[index] ^= 1 }
        #expect(session.receive(button.says(other)) == [.failed(.unexpectedAddress)])
    }

    @Test("A genuine certificate for a random address is refused", arguments: [1, 2, 255])
    mutating func otherAddressType(_ type: UInt8) {
        var session = waitingForCertificate()
        let other = button.certificate { $0.addressType = type }
        #expect(session.receive(button.says(other)) == [.failed(.unexpectedAddress)])
    }

    @Test("A certificate that another factory has signed is refused")
    mutating func otherRoot() {
        let peer = HostSession.Peer(address: button.address, root: VendorRoot.flic2)
        var session = HostSession(peer: peer, memory: nil, mtu: 140)
        _ = session.start()
        #expect(session.receive(button.says(button.certificate)) == [.failed(.invalidCertificate)])
    }

    @Test("A certificate with a wrong bit in its signature is refused", arguments: [0, 31, 32, 63])
    mutating func otherSignature(_ index: Int) {
        var session = waitingForCertificate()
        var certificate = button.certificate
        certificate.signature[index] ^= 0x04
        #expect(session.receive(button.says(certificate)) == [.failed(.invalidCertificate)])
    }

    @Test("A public key that is not in the certificate is refused")
    mutating func otherPublicKey() {
        var session = waitingForCertificate()
        var certificate = button.certificate
        certificate.publicKey = Sodium.publicKey(of: SecretBytes([UInt8](repeating: 9, count: 32)))!
        #expect(session.receive(button.says(certificate)) == [.failed(.invalidCertificate)])
    }

    @Test("Keys of low order are refused, whoever has signed them", arguments: JSONValue.vectors("kdf").low_order_public_keys.public_keys.vectors)
    mutating func lowOrder(_ vector: Vector) throws {
        let key = try #require(vector.json.bytes)
        var session = waitingForCertificate()
        let certificate = button.certificate { $0.publicKey = key }
        #expect(session.receive(button.says(certificate)) == [.failed(.invalidCertificate)])
    }

    @Test("A full button says so to the clients that it names, and to no others")
    mutating func tooManyApps() {
        var session = waitingForCertificate()
        #expect(session.receive(button.says(NoLogicalConnectionSlotsInd())) == [.ignored(.foreignTemporaryID)])
        let others = NoLogicalConnectionSlotsInd.with { $0.tmpIDs = [TemporaryID(1), TemporaryID(0)] }
        #expect(session.receive(button.says(others)) == [.ignored(.foreignTemporaryID)])
        let all = NoLogicalConnectionSlotsInd.with { $0.tmpIDs = others.tmpIDs + button.noSlots.tmpIDs + others.tmpIDs }
        #expect(session.receive(button.says(all)) == [.failed(.tooManyApps)])
    }

    @Test("A temporary id that is cut off is none")
    mutating func partOfTemporaryID() {
        var session = waitingForCertificate()
        let cut = button.says(body: Array(button.noSlots.body.dropLast()), isSigned: false, id: 0)
        #expect(session.receive(cut) == [.ignored(.foreignTemporaryID)])
    }

    // MARK: Waiting for the introduction

    @Test("A button in private mode is asked all the same, and refuses by itself")
    mutating func privateMode() {
        var session = waitingForCertificate()
        let certificate = button.certificate { $0.isInPublicMode = false }
        #expect(session.receive(button.says(certificate)) == button.hears(button.fullVerifyRequest2))
        #expect(session.receive(button.says(FullVerifyFailResponse.with { $0.reason = 1 })) == [.failed(.notInPublicMode)])
    }

    @Test("A refusal has its reason, known or not", arguments: UInt8.min...UInt8.max)
    mutating func refusal(_ reason: UInt8) {
        var session = waitingForIntroduction()
        let expected: HostSession.Failure =
            switch reason {
            case 0: .invalidVerifier
            case 1: .notInPublicMode
            default: .unknownRefusal(reason)
            }
        #expect(session.receive(button.says(FullVerifyFailResponse.with { $0.reason = reason })) == [.failed(expected)])
    }

    @Test("A refusal without a reason is ignored")
    mutating func refusalTooShort() {
        var session = waitingForIntroduction()
        #expect(session.receive(button.says(body: [FullVerifyFailResponse.opcode], isSigned: false)) == [.ignored(.tooShort)])
        #expect(session.receive(button.says(button.introduction)).prefix(2) == [button.paired(), .verified])
    }

    @Test("An introduction with any wrong bit proves nothing, and nothing is stored")
    mutating func wrongSignature() {
        let session = waitingForIntroduction()
        let frame = button.says(button.introduction)[0]
        for bit in 16..<frame.count * 8 {  // the header is not signed, and another opcode is another packet
            var wrong = frame
            wrong[bit / 8] ^= 1 << (bit % 8)
            var copy = session
            #expect(copy.receive([wrong]) == [.failed(.invalidCalculatedSignature)])
            #expect(!copy.isEstablished)
        }
    }

    @Test("An introduction that is too short is ignored, signed or not")
    mutating func introductionTooShort() {
        let session = waitingForIntroduction()
        for length in 1..<6 {
            var copy = session
            let frames = button.says(body: [1, 0, 0, 0, 0, 0].prefix(length) + [], isSigned: false)
            #expect(copy.receive(frames) == [.ignored(.tooShort)])
        }
        var copy = session
        #expect(copy.receive(button.says(body: Array(button.introduction.body.dropLast()))) == [.ignored(.tooShort)])
        #expect(!copy.isEstablished)
    }

    @Test(
        "Only a button that insists on credentials refuses the app for them",
        arguments: [(false, false, true), (true, false, true), (true, true, true), (false, true, false)]
    )
    mutating func credentials(match: Bool, caresAbout: Bool, isTaken: Bool) {
        var session = waitingForIntroduction()
        var introduction = button.introduction
        introduction.appCredentialsMatch = match
        introduction.caresAboutAppCredentials = caresAbout
        let request = button.initRequest(EventPosition(), maximumQueued: 0)
        let expected = isTaken ? [button.paired(), .verified] + button.hears(request) : [.failed(.appCredentialsDenied)]
        #expect(session.receive(button.says(introduction)) == expected)
    }

    @Test("Refusals of other clients do not concern a client that has its id")
    mutating func othersRefused() {
        var session = waitingForIntroduction()
        #expect(session.receive(button.says(button.noSlots)) == [.ignored(.notMine)])
        #expect(session.receive(button.says(button.noSlots, id: button.connectionID)) == [.ignored(.unexpected(opcode: 2))])
        #expect(session.receive(button.says(FullVerifyFailResponse(), id: 6)) == [.ignored(.notMine)])
        #expect(session.receive(button.says(FullVerifyFailResponse(), id: 0)) == [.ignored(.notMine)])
        #expect(session.receive(button.says(button.certificate, id: 6)) == [.ignored(.notMine)])
        #expect(session.receive(button.says(button.certificate, isNewlyAssigned: false)) == [.ignored(.unexpected(opcode: 0))])
        #expect(session.receive(button.says(button.introduction)).prefix(2) == [button.paired(), .verified])
    }

    // MARK: What is learnt

    @Test("The introduction says who the button is")
    mutating func learns() throws {
        var session = waitingForIntroduction()
        var introduction = button.introduction
        introduction.isDuo = true
        introduction.color = Array("white".utf8)
        guard case .paired(let paired) = session.receive(button.says(introduction)).first else {
            Issue.record("not paired")
            return
        }
        #expect(paired.uuid == [UInt8](0x10..<0x20))
        #expect(paired.serialNumber == "BC00-A00001")
        #expect(paired.name == ButtonName("Desk"))
        #expect(paired.firmwareVersion == 10)
        #expect(paired.battery.millivolts == 2999)
        #expect(paired.isDuo)
        #expect(paired.pairing == button.agreement(flags: 0).pairing)
    }

    @Test(
        "A serial number ends at a zero byte, and has only what can be printed",
        arguments: [("BC00\0A0000", "BC00"), ("\u{7F}B\nC\u{E9}", "BC"), ("", "")]
    )
    func serialNumber(sent: String, shown: String) {
        let introduction = FullVerifyResponse2.with { $0.serialNumber = Array(sent.utf8) }
        #expect(PairedButton(pairing: ScriptedButton.pairing, response: introduction).serialNumber == shown)
    }

    @Test("A name may fill its field, and is not longer than that", arguments: [0, 1, 22, 23, 24, 255])
    func nameLength(_ length: UInt8) {
        let text = "ABCDEFGHIJKLMNOPQRSTUVW"
        let introduction = FullVerifyResponse2.with {
            $0.name = Array(text.utf8)
            $0.nameLength = length
        }
        let name = PairedButton(pairing: ScriptedButton.pairing, response: introduction).name
        #expect(name.text == String(text.prefix(Int(length))))
    }
}
