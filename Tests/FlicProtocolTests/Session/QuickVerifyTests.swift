import FlicProtocol
import Testing

@Suite("Verifying a stored pairing (protocol 5.5, 6.2)")
struct QuickVerifyTests {
    private var button = ScriptedButton()

    /// A session that waits for the answer; the button has the session key.
    private mutating func waiting(_ memory: HostSession.Memory = ScriptedButton.memory()) -> HostSession {
        var session = button.client(memory)
        #expect(session.start() == button.hears(button.quickVerifyRequest))
        button.beginQuickSession()
        return session
    }

    @Test("A client with a pairing verifies it", arguments: [0, HostSession.duoFlag], [23, 140])
    func verifies(flags: UInt8, mtu: Int) {
        var button = ScriptedButton(mtu: mtu, flags: flags)
        var session = button.client(ScriptedButton.memory())
        #expect(session.start() == button.hears(button.quickVerifyRequest))
        #expect(!session.isEstablished)
        button.beginQuickSession()
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.verified] + button.hears(button.initRequest()))
        #expect(session.isEstablished)
    }

    @Test("Zero is an identifier like any other (protocol 5.2)")
    mutating func identifierZero() throws {
        var memory = ScriptedButton.memory()
        memory.pairing = try #require(Pairing(SecretBytes([UInt8](repeating: 0, count: 20))))
        var session = button.client(memory)
        var request = button.quickVerifyRequest
        request.pairingIdentifier = 0
        #expect(session.start() == button.hears(request))
    }

    @Test("Any id that the button assigns is taken", arguments: 1...31)
    mutating func connectionID(_ id: UInt8) {
        button.connectionID = id
        var session = waiting()
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.verified] + button.hears(button.initRequest()))
    }

    @Test("The answer to another client is ignored, and the own one is still taken")
    mutating func foreignTemporaryID() {
        var session = waiting()
        var otherButton = button
        var foreign = button.quickVerifyResponse
        foreign.tmpID &+= 1
        #expect(session.receive(otherButton.says(foreign, id: 6)) == [.ignored(.foreignTemporaryID)])
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.verified] + button.hears(button.initRequest()))
    }

    @Test("An answer with any wrong bit is a wrong signature, or for somebody else")
    mutating func wrongSignature() {
        let session = waiting()
        let frame = button.says(button.quickVerifyResponse)[0]
        for bit in 16..<frame.count * 8 {
            var wrong = frame
            wrong[bit / 8] ^= 1 << (bit % 8)
            var copy = session
            let isTemporaryID = (10..<14).contains(bit / 8)
            let expected: HostSession.Action = isTemporaryID ? .ignored(.foreignTemporaryID) : .failed(.quickVerifySignatureMismatch)
            #expect(copy.receive([wrong]) == [expected])
            #expect(!copy.isEstablished)
        }
    }

    @Test("An answer made with another pairing is a wrong signature")
    mutating func otherPairing() {
        var memory = ScriptedButton.memory()
        memory.pairing = button.agreement(flags: 0).pairing
        var session = button.client(memory)
        _ = session.start()
        button.beginQuickSession()
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.failed(.quickVerifySignatureMismatch)])
    }

    @Test("An answer that is too short is ignored", arguments: [1, 5, 6, 18])
    mutating func tooShort(_ length: Int) {
        var session = waiting()
        var copy = button
        let packet = copy.says(button.quickVerifyResponse)[0].dropFirst().prefix(length)
        #expect(session.receive(button.says(body: Array(packet), isSigned: false, isNewlyAssigned: true)) == [.ignored(.tooShort)])
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.verified] + button.hears(button.initRequest()))
    }

    @Test("A full button says so to the clients that it names, and to no others")
    mutating func tooManyApps() {
        var session = waiting()
        #expect(session.receive(button.says(NoLogicalConnectionSlotsInd())) == [.ignored(.foreignTemporaryID)])
        #expect(session.receive(button.says(button.noSlots)) == [.failed(.tooManyApps)])
    }

    @Test("That another client is not known does not concern this one")
    mutating func foreignRefusal() {
        var session = waiting()
        #expect(session.receive(button.says(QuickVerifyNegativeResponse())) == [.ignored(.foreignTemporaryID)])
        #expect(session.receive(button.says(body: [6, 1, 2, 3], isSigned: false, id: 0)) == [.ignored(.tooShort)])
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.verified] + button.hears(button.initRequest()))
    }
}
