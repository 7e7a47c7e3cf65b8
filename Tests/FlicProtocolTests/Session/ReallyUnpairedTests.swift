import FlicProtocol
import Testing

@Suite("Is the pairing really gone? (protocol 5.3, 6.2)")
struct ReallyUnpairedTests {
    private var button = ScriptedButton()

    /// A session that has been told that the pairing is not known, and waits for the certificate.
    private mutating func waitingForCertificate() -> HostSession {
        var session = button.client(ScriptedButton.memory())
        #expect(session.start() == button.hears(button.quickVerifyRequest))
        #expect(session.receive(button.says(button.refusal)) == button.hears(button.fullVerifyRequest1))
        return session
    }

    /// A session that waits for the proof.
    private mutating func waitingForProof() -> HostSession {
        var session = waitingForCertificate()
        #expect(session.receive(button.says(button.certificate)) == button.hears(button.testRequest))
        return session
    }

    @Test("A pairing is gone only if the button proves it", arguments: [0, HostSession.duoFlag], [23, 140])
    func gone(flags: UInt8, mtu: Int) {
        var button = ScriptedButton(mtu: mtu, flags: flags)
        var session = button.client(ScriptedButton.memory())
        #expect(session.start() == button.hears(button.quickVerifyRequest))
        #expect(session.receive(button.says(button.refusal)) == button.hears(button.fullVerifyRequest1))
        #expect(session.receive(button.says(button.certificate)) == button.hears(button.testRequest))
        #expect(session.receive(button.says(button.gone)) == [.unpaired])
        #expect(session.receive(button.says(button.gone)) == [.ignored(.noSession)])
    }

    @Test("The public mode does not matter")
    mutating func privateMode() {
        var session = waitingForCertificate()
        let certificate = button.certificate { $0.isInPublicMode = false }
        #expect(session.receive(button.says(certificate)) == button.hears(button.testRequest))
        #expect(session.receive(button.says(button.gone)) == [.unpaired])
    }

    @Test("A button that has the pairing after all is not unpaired")
    mutating func exists() {
        var session = waitingForProof()
        #expect(session.receive(button.says(button.exists)) == [.failed(.pairingDeniedButPresent)])
    }

    @Test("A proof with any wrong bit proves nothing")
    mutating func forged() {
        let session = waitingForProof()
        for proof in [button.gone, button.exists] {
            for bit in 0..<128 {
                var forged = proof
                forged.result[bit / 8] ^= 1 << (bit % 8)
                var copy = session
                #expect(copy.receive(button.says(forged)) == [.failed(.invalidCalculatedSignature)])
            }
        }
    }

    @Test("A proof made for another random number of the client proves nothing: no replay")
    mutating func replayed() {
        var random = HostSession.Randomness.scripted
        random.fullVerify[0] ^= 1
        var session = button.client(ScriptedButton.memory())
        _ = session.start(random)
        _ = session.receive(button.says(button.refusal))
        #expect(session.receive(button.says(button.certificate)).count == 1)
        #expect(session.receive(button.says(button.gone)) == [.failed(.invalidCalculatedSignature)])
    }

    @Test("A proof that is too short is ignored", arguments: 1...16)
    mutating func tooShort(_ length: Int) {
        var session = waitingForProof()
        let cut = button.says(body: Array(button.gone.body.prefix(length)), isSigned: false)
        #expect(session.receive(cut) == [.ignored(.tooShort)])
        #expect(session.receive(button.says(button.gone)) == [.unpaired])
    }

    @Test("The certificate is checked as for a pairing")
    mutating func certificates() {
        let session = waitingForCertificate()
        let cases: [(FullVerifyResponse1, HostSession.Action)] = [
            (button.certificate { $0.tmpID ^= 1 }, .ignored(.foreignTemporaryID)),
            (button.certificate { $0.address[0] ^= 1 }, .failed(.unexpectedAddress)),
            (button.certificate { $0.addressType = 1 }, .failed(.unexpectedAddress)),
            (button.certificate { $0.publicKey = [UInt8](repeating: 0, count: 32) }, .failed(.invalidCertificate)),
            (
                .with {
                    $0 = button.certificate; $0.signature[63] ^= 4
                }, .failed(.invalidCertificate)
            ),
        ]
        for (certificate, expected) in cases {
            var copy = session
            #expect(copy.receive(button.says(certificate)) == [expected])
        }
    }

    @Test("A full button refuses the test, too")
    mutating func tooManyApps() {
        var session = waitingForCertificate()
        #expect(session.receive(button.says(NoLogicalConnectionSlotsInd())) == [.ignored(.foreignTemporaryID)])
        #expect(session.receive(button.says(button.noSlots)) == [.failed(.tooManyApps)])
    }

    @Test("A late answer to the Quick Verify changes nothing: the test goes on")
    mutating func lateAnswer() {
        var session = waitingForCertificate()
        button.beginQuickSession()
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.ignored(.unexpected(opcode: 8))])
        #expect(session.receive(button.says(button.refusal)) == [.ignored(.unexpected(opcode: 6))])
        #expect(session.receive(button.says(button.certificate)) == button.hears(button.testRequest))
        #expect(session.receive(button.says(button.noSlots)) == [.ignored(.notMine)])
        #expect(session.receive(button.says(button.gone)) == [.unpaired])
    }

    @Test("A proof for another client, or for everybody, is ignored")
    mutating func otherID() {
        var session = waitingForProof()
        #expect(session.receive(button.says(button.gone, id: 4)) == [.ignored(.notMine)])
        #expect(session.receive(button.says(button.gone, id: 0)) == [.ignored(.notMine)])
        #expect(session.receive(button.says(button.gone, isNewlyAssigned: true)) == [.ignored(.notMine)])
        #expect(session.receive(button.says(button.gone)) == [.unpaired])
    }
}
