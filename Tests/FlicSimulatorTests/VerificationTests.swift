import FlicProtocol
import FlicSimulator
import Testing

/// Pairing, and the verification of pairings (protocol 10.1, 10.3).
@Suite struct VerificationTests {
    @Test("In public mode a client pairs; what it is told is what the factory burnt in", arguments: [23, 50, 140])
    func pairing(mtu: Int) throws {
        var bench = Bench()
        bench.connect(mtu: mtu)
        bench { $0.enterPublicMode(at: $1) }
        bench.pair()
        let answer = try #require(bench.clients[0].packets(FullVerifyResponse2.self).first)
        #expect(answer.uuid == bench.firmware.identity.uuid)
        #expect(answer.serialNumber == Array(bench.firmware.identity.serialNumber.utf8))
        #expect(answer.batteryLevel == 853 && answer.firmwareVersion == 10)
        #expect(bench.firmware.pairings.all == [bench.clients[0].pairing])
        #expect(bench.clients[0].wrongSignatures == 0 && bench.firmware.sessionCount == 1)
    }

    @Test("In private mode the button gives an id and refuses the pairing")
    func privateMode() {
        var bench = Bench()
        bench.connect()
        bench.pair()
        #expect(bench.clients[0].packets(FullVerifyResponse1.self).map(\.isInPublicMode) == [false])
        #expect(bench.clients[0].packets(FullVerifyFailResponse.self).map(\.reason) == [1])
        #expect(bench.firmware.pairings.all.isEmpty && bench.firmware.sessionCount == 0)
    }

    @Test("A wrong verifier counts before the mode", arguments: [true, false])
    func wrongVerifier(isPublic: Bool) {
        var bench = Bench()
        bench.connect()
        if isPublic { bench { $0.enterPublicMode(at: $1) } }
        bench.send(bench.clients[0].beginFullVerify())
        bench.send(bench.clients[0].finishFullVerify { $0.verifier[0] ^= 1 })
        #expect(bench.clients[0].packets(FullVerifyFailResponse.self).map(\.reason) == [0])
        #expect(bench.firmware.pairings.all.isEmpty)
    }

    @Test("A key of low order is refused")
    func lowOrderKey() {
        var bench = Bench()
        bench.connect()
        bench { $0.enterPublicMode(at: $1) }
        bench.send(bench.clients[0].beginFullVerify())
        bench.send(bench.clients[0].finishFullVerify { $0.publicKey = [UInt8](repeating: 0, count: 32) })
        #expect(bench.clients[0].packets(FullVerifyFailResponse.self).map(\.reason) == [0])
    }

    @Test("The two hidden bits are random on the air, and found by whoever knows the root")
    func hiddenBits() throws {
        var bench = Bench(clients: 8)
        bench.connect()
        for client in bench.clients { bench.send(client.beginFullVerify()) }
        let answers = bench.clients.compactMap { $0.packets(FullVerifyResponse1.self).first }
        #expect(answers.count == 8 && Set(answers.map { $0.signature[32] & 3 }).count > 1)
        for answer in answers {
            let certificate = ButtonCertificate(
                address: answer.address,
                addressType: answer.addressType,
                publicKey: answer.publicKey,
                signature: answer.signature
            )
            #expect(certificate.hiddenBits(root: TestRoot.publicKey) == bench.firmware.identity.hiddenBits)
        }
    }

    @Test("A credential is checked if the button has one", arguments: [(UInt8(7), true), (UInt8(8), false)])
    func appCredential(byte: UInt8, matches: Bool) {
        var settings = ButtonSettings()
        settings.appCredential = [UInt8](repeating: 7, count: 16)
        settings.caresAboutAppCredentials = true
        var bench = Bench(settings: settings)
        bench.connect()
        bench { $0.enterPublicMode(at: $1) }
        bench.send(bench.clients[0].beginFullVerify())
        bench.send(bench.clients[0].finishFullVerify(credential: [UInt8](repeating: byte, count: 16)))
        let answers = bench.clients[0].packets(FullVerifyResponse2.self)
        #expect(answers.map(\.appCredentialsMatch) == [matches] && answers.map(\.caresAboutAppCredentials) == [true])
    }

    @Test("A pairing is verified quickly, in both modes and with both kinds of flags", arguments: [UInt8(0), 0x40], [true, false])
    func quickVerify(flags: UInt8, isPublic: Bool) {
        var bench = Bench.paired()
        bench.disconnect(.lost)
        bench.connect()
        if !isPublic { bench { $0.leavePublicMode(at: $1) } }
        bench.send(bench.clients[0].beginQuickVerify(flags: flags))
        #expect(bench.clients[0].packets(QuickVerifyResponse.self).count == 1)
        #expect(bench.clients[0].wrongSignatures == 0 && bench.firmware.sessionCount == 1)
    }

    @Test("An unknown pairing is refused, and its absence proved")
    func unpaired() throws {
        var bench = Bench.paired()
        bench.disconnect(.lost)
        bench.firmware.pairings.removeAll()
        bench.connect()
        bench.reconnect()
        #expect(bench.clients[0].packets(QuickVerifyNegativeResponse.self).map(\.tmpID) == [1000])
        bench.send(bench.clients[0].beginFullVerify())
        let pairing = try #require(bench.clients[0].pairing)
        let made = bench.clients[0].testPairing(pairing)
        let test = try #require(made)
        bench.send(test.frames)
        #expect(bench.clients[0].packets(TestIfReallyUnpairedResponse.self).map(\.result) == [test.notExists])
        #expect(bench.firmware.connectionCount == 0)
    }

    @Test("A pairing that is there is proved to be; a wrong token for it is not", arguments: [true, false])
    func existing(hasRightToken: Bool) throws {
        var bench = Bench.paired()
        bench.disconnect(.lost)
        bench.connect()
        bench.send(bench.clients[0].beginFullVerify())
        let own = try #require(bench.clients[0].pairing)
        let other = try #require(Pairing(SecretBytes(own.bytes.bytes.prefix(4) + [UInt8](repeating: 0, count: 16))))
        let made = bench.clients[0].testPairing(hasRightToken ? own : other)
        let test = try #require(made)
        bench.send(test.frames)
        #expect(bench.clients[0].packets(TestIfReallyUnpairedResponse.self).map(\.result) == [hasRightToken ? test.exists : test.notExists])
    }

    @Test("Each logical connection gets another id, up to 31 of them")
    func ids() {
        var settings = ButtonSettings()
        settings.slots = 40
        var bench = Bench(clients: 32, settings: settings)
        bench.connect()
        for client in bench.clients { bench.send(client.beginFullVerify()) }
        #expect(bench.clients.map(\.id) == Array(1...31) + [0])
        #expect(bench.clients[31].packets(NoLogicalConnectionSlotsInd.self).map(\.tmpIDs) == [[TemporaryID(1031)]])
        bench.send(FullVerifyAbortInd(), from: 4)
        bench.send(bench.clients[31].beginFullVerify())
        #expect(bench.clients[31].id == 5)
    }

    @Test("The ninth client of eight slots is told so by its temporary id, until one has gone")
    func slots() {
        var bench = Bench.running(clients: 8)
        bench.clients.append(ScriptedClient(99, pairing: bench.clients[0].pairing))
        bench.send(bench.clients[8].beginFullVerify())
        #expect(bench.clients[8].packets(NoLogicalConnectionSlotsInd.self).map(\.tmpIDs) == [[TemporaryID(99)]])
        bench.send(DisconnectVerifiedLinkInd(), from: 3)
        bench.pair(8)
        #expect(bench.clients[8].hasSession && bench.firmware.sessionCount == 8)
    }

    @Test("A verification that is not finished gives its slot back in time")
    func abandoned() {
        var settings = ButtonSettings()
        settings.slots = 2
        settings.pingInterval = nil
        var bench = Bench.running(clients: 2, settings: settings)
        bench.send(DisconnectVerifiedLinkInd(), from: 1)
        bench.clients[1].startOver()
        bench.send(bench.clients[1].beginFullVerify())
        #expect(bench.firmware.connectionCount == 2)
        bench.pass(.seconds(39))
        #expect(bench.firmware.connectionCount == 2)
        bench.pass(.seconds(2))
        #expect(bench.firmware.connectionCount == 1 && bench.firmware.isLinked)
    }

    @Test("A new session with the same pairing ends the old one with reason 2, on the old id")
    func samePairing() throws {
        var bench = Bench.running()
        bench.clients.append(ScriptedClient(2, pairing: bench.clients[0].pairing))
        bench.reconnect(1)
        #expect(bench.clients[0].packets(DisconnectedVerifiedLinkInd.self).map(\.reason) == [2])
        #expect(bench.clients[1].hasSession && bench.clients[1].id != bench.clients[0].id && bench.firmware.sessionCount == 1)
    }

    @Test("A further pairing displaces the one that was not used for the longest time")
    func displacement() {
        var settings = ButtonSettings()
        settings.pairingLimit = 3
        var bench = Bench.paired(clients: 3, settings: settings)
        bench.disconnect(.lost)
        bench.connect()
        bench.reconnect(0)  // the second one is the oldest now
        bench.clients.append(ScriptedClient(77))
        bench.pair(3)
        let kept = bench.firmware.pairings.all.map(\.identifier)
        #expect(kept == [2, 0, 3].map { bench.clients[$0].pairing?.identifier })
        bench.reconnect(1)
        #expect(bench.clients[1].packets(QuickVerifyNegativeResponse.self).count == 1)
    }
}
