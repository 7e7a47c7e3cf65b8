import FlicProtocol
import Testing

@Suite("The open session: signatures, pings, end (protocol 5.6, 6.2, 6.6)")
struct EstablishedSessionTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton()

    private mutating func mismatch() -> [Action] {
        button.hears(DisconnectVerifiedLinkInd()) + [.failed(.packetSignatureMismatch)]
    }

    // MARK: Pings

    @Test("Every ping is answered at once, at any time of the session")
    mutating func pings() {
        var session = button.initialisingClient()
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
        #expect(session.receive(button.says(button.sameBoot(hasQueue: true))) == [])
        for _ in 0..<300 { #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse())) }
        #expect(session.receive(button.says(body: [15, 1, 2, 3])) == button.hears(PingResponse()))
    }

    // MARK: End

    @Test("The button ends the session, and says why", arguments: UInt8.min...UInt8.max)
    mutating func end(_ code: UInt8) {
        let reasons: [HostSession.EndReason] = [.pingNotAnswered, .wrongSignature, .replaced, .requested]
        var session = button.runningClient()
        let reason = code < 4 ? reasons[Int(code)] : .other(code)
        #expect(session.receive(button.says(button.end(code))) == [.ended(reason)])
        #expect(!session.isEstablished)
        #expect(session.deadline == nil)
        #expect(session.receive(button.says(PingRequest())) == [.ignored(.noSession)])
        #expect(session.tick(at: .seconds(100_000)) == [])
        #expect(session.close() == [])
    }

    @Test("An end without a reason is none")
    mutating func endTooShort() {
        var session = button.runningClient()
        #expect(session.receive(button.says(body: [9])) == [.ignored(.tooShort)])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
    }

    @Test("The app ends the session: the button is told, nothing is waited for")
    mutating func close() {
        var session = button.runningClient()
        #expect(session.close() == button.hears(DisconnectVerifiedLinkInd()))
        #expect(!session.isEstablished)
        #expect(session.receive(button.says(button.end(3))) == [.ignored(.noSession)])
        #expect(session.close() == [])
    }

    @Test("A session that is not verified ends without a word")
    mutating func closeEarly() {
        var session = button.client(ScriptedButton.memory())
        #expect(session.close() == [])
        #expect(session.start() == [])
        session = button.client(ScriptedButton.memory())
        _ = session.start()
        #expect(session.close() == [])
        #expect(session.deadline == nil)
    }

    @Test("A session is started once")
    mutating func startTwice() {
        var session = button.runningClient()
        #expect(session.start() == [])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
    }

    // MARK: What is counted

    @Test("Packets of unknown opcodes are ignored, and count", arguments: UInt8(29)...255)
    mutating func unknownOpcode(_ opcode: UInt8) {
        var session = button.runningClient()
        #expect(session.receive(button.says(body: [opcode])) == [.ignored(.unknown(opcode: opcode))])
        #expect(session.receive(button.says(body: [opcode, 1, 2, 3])) == [.ignored(.unknown(opcode: opcode))])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
    }

    @Test(
        "Known packets that have no business here are ignored, and count",
        arguments: [0, 1, 2, 3, 4, 6, 7, 8, 13, 19, 21, 22, 23, 24, 26, 27, 28]
    )
    mutating func unexpectedOpcode(_ opcode: UInt8) {
        var session = button.runningClient()
        #expect(session.receive(button.says(body: [opcode] + [UInt8](repeating: 0, count: 20))) == [.ignored(.unexpected(opcode: opcode))])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
    }

    @Test("Packets of fewer than six bytes are ignored without being counted", arguments: 1...5)
    mutating func tooShortToBeSigned(_ length: Int) {
        var session = button.runningClient()
        let frames = button.says(body: [UInt8](repeating: 15, count: length), isSigned: false)
        #expect(session.receive(frames) == [.ignored(.tooShort)])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
    }

    @Test("Values without content are ignored", arguments: [[], [0x05], [0x85], [0x00], [0xFF]] as [[UInt8]])
    mutating func emptyFrames(_ frame: [UInt8]) {
        var session = button.runningClient()
        #expect(session.receive([frame]) == [.ignored(.tooShort)])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
    }

    @Test("Frames of other sessions, for everybody, or newly assigned, are ignored without being counted", arguments: 0...31)
    mutating func othersFrames(_ id: UInt8) {
        var session = button.runningClient()
        let body = button.says(PingRequest())[0].dropFirst()
        if id != 5 { #expect(session.receive([[id] + body]) == [.ignored(.notMine)]) }
        #expect(session.receive([[id | 0x20] + body]) == [.ignored(.notMine)])
        #expect(session.receive([[id | 0xA0] + body]) == [.ignored(.notMine)])
        #expect(session.receive([[0x05] + body]) == button.hears(PingResponse()))
    }

    @Test("The bit of the header that nobody uses changes nothing")
    mutating func multiBit() {
        var session = button.runningClient()
        let frame = button.says(PingRequest())[0]
        #expect(session.receive([[0x45] + frame.dropFirst()]) == button.hears(PingResponse()))
    }

    // MARK: Signatures

    @Test("A single wrong bit ends the session and gives the id back", arguments: 8..<136)
    mutating func wrongBit(_ bit: Int) {
        var session = button.runningClient()
        var frame = button.says(ButtonEventNotification.of([.live(1)], count: 401))[0]
        #expect(frame.count == 18)
        frame[bit / 8] ^= 1 << (bit % 8)
        #expect(session.receive([frame]) == mismatch())
        #expect(!session.isEstablished)
    }

    @Test("B92 a frame that bluetoothd signals twice is taken once; whole packets and fragments", arguments: [23, 140])
    func doubled(mtu: Int) {
        var button = ScriptedButton(mtu: mtu)
        var (once, twice) = (button.runningClient(), button.runningClient())
        twice = once
        for count in [UInt32(401), 409] {
            let items: [EventItem] = [.live(1), .live(8), .live(2)]
            for frame in button.says(ButtonEventNotification.of(items, count: count + 3)) {
                let heard = once.receive([frame])
                #expect(twice.receive([frame]) == heard)
                #expect(twice.receive([frame]) == [.ignored(.repeated)])
            }
        }
    }

    @Test("A packet that comes again, or too early, ends the session")
    mutating func replayed() {
        let session = button.runningClient()
        let first = button.says(ButtonEventNotification.of([.live(1)], count: 401))
        let second = button.says(ButtonEventNotification.of([.live(8)], count: 403))
        let delivered: [Action] = [.event(.live(1, count: 401)), .progress(EventPosition(bootID: 7, eventCount: 401))]

        var (replayed, reordered) = (session, session)
        var other = button
        #expect(replayed.receive(first) == delivered)
        #expect(replayed.receive([[0x07, 0x00]]) == [.ignored(.notMine)])
        #expect(replayed.receive(first) == other.hears(DisconnectVerifiedLinkInd()) + [.failed(.packetSignatureMismatch)])
        #expect(reordered.receive(second) == mismatch())
        #expect(reordered.receive(first) == [.ignored(.noSession)])
    }

    @Test("A packet of an earlier session of the same pairing is worth nothing")
    mutating func otherSession() {
        var earlier = ScriptedButton()
        earlier.random[0] ^= 1
        _ = earlier.runningClient()
        var session = button.runningClient()
        #expect(session.receive(earlier.says(PingRequest())) == mismatch())
    }

    @Test("What the client has sent is no packet of the button")
    mutating func reflected() {
        var session = button.runningClient()
        guard case .send(let pong) = session.receive(button.says(PingRequest())).first else {
            Issue.record("no answer")
            return
        }
        _ = button.hears(PingResponse())
        #expect(session.receive([pong]) == mismatch())
    }

    @Test("An unsigned packet is a wrong signature", arguments: 6...16)
    mutating func unsigned(_ length: Int) {
        var session = button.initialisingClient()
        let body = [UInt8](repeating: 15, count: length)
        #expect(session.receive(button.says(body: body, isSigned: false)) == mismatch())
    }

    @Test("A wrong signature in the start-up ends the session, too; nothing of the packet is used")
    mutating func wrongInStartUp() {
        var session = button.initialisingClient()
        var frame = button.says(button.newBoot(8, count: 3))[0]
        frame[8] ^= 1
        #expect(session.receive([frame]) == mismatch())
    }

    @Test("A fragment that is lost is noticed, the last one when the next packet comes", arguments: 0..<3)
    func lostFragment(_ index: Int) {
        var button = ScriptedButton(mtu: 23)
        var session = button.runningClient()
        var frames = button.says(ButtonEventNotification.of([.live(1), .live(8), .live(2), .live(1), .live(8)], count: 407))
        #expect(frames.count == 3)
        frames.remove(at: index)
        frames += button.says(PingRequest())
        let end: [Action] = button.hears(DisconnectVerifiedLinkInd()) + [.failed(.packetSignatureMismatch)]
        #expect(session.receive(frames).prefix(2) == end[...])
        #expect(!session.isEstablished)
    }
}
