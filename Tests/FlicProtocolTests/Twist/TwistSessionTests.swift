import Fixtures
import FlicProtocol
import Testing

@Suite("Sessions with a Flic Twist (protocol 14)")
struct TwistSessionTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton.twist

    private func record(_ text: String) { Issue.record(Comment(rawValue: text)) }

    @Test("Pairing: no frames, no ids, numbers of its own; the battery counts millivolts, and a reserved bit makes no Duo")
    mutating func pairing() {
        var session = button.client(nil)
        #expect(session.start() == [.send([0, 1, 2, 3, 4])])
        #expect(
            session.receive(button.says(Twist.FullVerifyResponse1(button.certificate)))
                == button.hears(Twist.FullVerifyRequest2WithoutAppToken(button.fullVerifyRequest2))
        )
        button.beginFullSession()
        let answer = session.receive(button.says(button.twistIntroduction))
        guard case .paired(let paired) = answer.first else { return record("\(answer)") }
        #expect(paired.battery.millivolts == 2950 && !paired.isDuo && paired.name.text == "Knob" && paired.serialNumber == "TC00-A00001")
        #expect(Array(answer.dropFirst()) == [.verified] + button.hears(button.twistRequest(EventPosition())))
    }

    @Test("The first packets on the air, byte by byte")
    mutating func bytes() {
        var session = button.client(ScriptedButton.memory())
        // → 5, seven random bytes, no flag, the temporary id, the pairing.
        #expect(session.start() == [.send([5, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0, 1, 2, 3, 4, 0x50, 0x51, 0x52, 0x53])])
        button.beginQuickSession()
        let answer = session.receive(button.says(Twist.QuickVerifyResponse(button.quickVerifyResponse)))
        guard case .send(let request) = answer.last else { return record("\(answer)") }
        // → 12, count 400, 13 states, boot 7, version 2, signature.
        #expect(request.count == 1 + 4 + 65 + 4 + 1 + 5)
        #expect(Array(request.prefix(10)) == [12, 0x90, 1, 0, 0, 0b1100_0001, 0, 0, 0, 10] && request[70..<75] == [7, 0, 0, 0, 2])
        // ← 8 with version, and → 17 (battery), → 10 (name).
        let started = session.receive(button.says(body: [8, 0, 0, 0, 0, 0, 0, 0x90, 1, 0, 0, 7, 0, 0, 0, 2]))
        let sent = started.compactMap { if case .send(let packet) = $0 { packet.first } else { nil } }
        #expect(sent == [17, 10])
    }

    @Test("A running session never says what a Twist has no packet for, and advertising is set up with any firmware")
    mutating func startUp() {
        var session = button.initialisingTwist(isAdvertisingConfigured: false)
        let advertising = Twist.SetAdvParametersRequest.with {
            ($0.isActive, $0.withShortRange, $0.firstInterval, $0.laterInterval, $0.timeoutSeconds) = (1, 1, 160, 12_800, 86_400)
        }
        let requests = button.hears(advertising) + button.hears(Twist.GetBatteryLevelRequest())
        #expect(session.receive(button.says(button.twistAnswer())) == [.progress(.known), .queueFinished] + requests)
        #expect(session.setConnectionParameters(.low) == [] && session.setAutoDisconnectTime(60) == [])
        #expect(
            session.receive(button.says(Twist.SetAdvParametersResponse(.init()))) == [.advertisingConfigured]
                + button.hears(Twist.GetNameRequest(.init()))
        )
    }

    @Test("Below an MTU of 140 the session fails at once", arguments: [23, 129, 139, 140, 517])
    func mtu(_ mtu: Int) {
        var button = button
        button.mtu = mtu
        var session = button.client(nil)
        #expect(session.start() == (mtu < 140 ? [.failed(.mtuTooSmall(mtu))] : [.send([0, 1, 2, 3, 4])]))
        #expect(session.deadline == nil || mtu >= 140)
    }

    @Test("A pairing is gone only if the Twist proves it", arguments: [true, false])
    mutating func unpaired(_ isGone: Bool) {
        var session = button.client(ScriptedButton.memory())
        _ = session.start()
        #expect(
            session.receive(button.says(Twist.QuickVerifyNegativeResponse(button.refusal)))
                == button.hears(Twist.FullVerifyRequest1(button.fullVerifyRequest1))
        )
        #expect(
            session.receive(button.says(Twist.FullVerifyResponse1(button.certificate)))
                == button.hears(Twist.TestIfReallyUnpairedRequest(button.testRequest))
        )
        let proof = Twist.TestIfReallyUnpairedResponse(isGone ? button.gone : button.exists)
        #expect(session.receive(button.says(proof)) == [isGone ? .unpaired : .failed(.pairingDeniedButPresent)])
    }

    @Test("A refusal of the pairing is understood")
    mutating func refused() {
        var session = button.client(nil)
        _ = session.start()
        _ = session.receive(button.says(Twist.FullVerifyResponse1(button.certificate)))
        #expect(session.receive([[2, 1]]) == [.failed(.notInPublicMode)])
    }

    @Test("A verification that takes too long is given up")
    mutating func timeout() {
        var session = button.client(nil)
        _ = session.start()
        _ = session.receive(button.says(Twist.FullVerifyResponse1(button.certificate)))
        #expect(session.tick(at: .seconds(31)) == [.send([3]), .failed(.timedOut)])
    }

    @Test("The signature covers the number on the air; a wrong one ends the session")
    mutating func wrongSignature() {
        var session = button.runningTwist()
        // Rightly signed under the Flic 2's number of the same packet.
        var packet = button.says(body: ButtonEventNotification.of([], count: 400).body)[0]
        packet[0] = 9
        #expect(session.receive([packet]) == button.hears(Twist.DisconnectVerifiedLinkInd(.init())) + [.failed(.packetSignatureMismatch)])
        #expect(session.receive(button.says(body: [9, 0, 0, 0, 0])) == [.ignored(.noSession)])
    }

    @Test(
        "Why a Twist ends a session",
        arguments: [(0, .wrongSignature), (1, .requested), (2, .other(2)), (3, .other(3))] as [(UInt8, HostSession.EndReason)]
    )
    mutating func ends(_ code: UInt8, _ reason: HostSession.EndReason) {
        var session = button.runningTwist()
        #expect(session.receive(button.says(Twist.DisconnectedVerifiedLinkInd(button.end(code)))) == [.ended(reason)])
    }

    @Test("Closing says so under the Twist's number")
    mutating func close() {
        var session = button.runningTwist()
        let farewell = button.hears(Twist.DisconnectVerifiedLinkInd(.init()))
        #expect(session.close() == farewell)
        guard case .send(let packet) = farewell.first else { return }
        #expect(packet.count == 6 && packet[0] == 8)
    }

    @Test("Presses from before the pairing are nobody's business")
    mutating func beforePairing() {
        var session = button.client(nil)
        _ = session.start()
        _ = session.receive(button.says(Twist.FullVerifyResponse1(button.certificate)))
        button.beginFullSession()
        _ = session.receive(button.says(button.twistIntroduction))
        _ = button.hears(button.twistRequest(EventPosition()))
        let boot = EventPosition(bootID: 9, eventCount: 3)
        #expect(session.receive(button.says(button.twistAnswer(boot, hasQueue: true))) == [])
        let queue = Twist.ButtonEventNotificationV2.of([.of(1, queued: true), .of(0, queued: true, last: true)], count: 3)
        let acknowledgement = button.hears(Twist.AckButtonEventsInd(button.acknowledgement(3)))
        let expected: [Action] =
            [.ignored(.beforePairing(count: 1)), .ignored(.beforePairing(count: 3)), .progress(boot), .queueFinished] + acknowledgement
        #expect(session.receive(button.says(queue)).prefix(5) == expected.prefix(5))
    }

    @Test("Renaming, and the firmware update's packets, go under the Twist's numbers")
    mutating func renaming() {
        var session = button.runningTwist()
        let rename = Rename(name: ButtonName("Lamp"), timestamp: 5)
        #expect(session.rename(rename) == button.hears(Twist.SetNameRequest(button.setName(rename, isForced: true))))
        #expect(session.receive(button.says(Twist.SetNameResponse(button.nameSet("Lamp")))) == [.renameConfirmed(rename)])
    }

    @Test("A firmware update: header in the start, four pieces of 120 bytes, then the farewell")
    mutating func firmware() throws {
        var session = button.runningTwist()
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let image = try FirmwareImage(bytes, for: .twist)
        var actions: [Action] = []
        session.updateFirmware(image, wasSent: false, now: .zero, into: &actions)
        let start = Twist.StartFirmwareUpdateRequest.with {
            $0.lengthCompressed = 924
            $0.initializationVector = Array(0..<8)
            $0.lengthUncompressedWords = 0x0B0A_0908
            $0.signature = Array(12..<76)
            $0.statusInterval = 2
        }
        #expect(actions == button.hears(start))
        func piece(_ range: Range<Int>) -> Twist.FirmwareUpdateDataInd { .init(.with { $0.data = Array(bytes[range]) }) }
        var expected: [Action] = []
        for start in stride(from: 76, to: 556, by: 120) { expected += button.hears(piece(start..<start + 120)) }
        expected.append(.firmwareProgress(.init(acknowledged: 0, sent: 480, total: 924)))
        #expect(session.receive(button.says(body: [14, 0, 0, 0, 0])) == expected)
        var rest: [Action] = []
        for start in stride(from: 556, to: 1000, by: 120) { rest += button.hears(piece(start..<min(1000, start + 120))) }
        rest.append(.firmwareProgress(.init(acknowledged: 480, sent: 924, total: 924)))
        #expect(session.receive(button.says(body: [15, 0xE0, 1, 0, 0])) == rest)
        let farewell = button.hears(Twist.ForceBtDisconnectInd.with { $0.restartAdv = 1 })
        #expect(
            session.receive(button.says(body: [15, 0x9C, 3, 0, 0])) == [
                .firmwareProgress(.init(acknowledged: 924, sent: 924, total: 924)), .firmwareInstalled,
            ] + farewell
        )
    }

    @Test(
        "A refused update fails for the reason told",
        arguments: [(-1, .invalidParameters), (-2, .busy), (-3, .awaitsRestart)] as [(Int32, HostSession.FirmwareFailure)]
    )
    mutating func refusedFirmware(_ position: Int32, _ failure: HostSession.FirmwareFailure) throws {
        var session = button.runningTwist()
        let image = try FirmwareImage([UInt8](repeating: 1, count: 1000), for: .twist)
        var actions: [Action] = []
        session.updateFirmware(image, wasSent: false, now: .zero, into: &actions)
        let answer = Twist.StartFirmwareUpdateResponse(.with { $0.startPosition = position })
        #expect(session.receive(button.says(answer)) == [.firmwareFailed(failure)])
    }

    @Test("What a Twist has signed may be nonsense: it is bounded, and all answers are signed in order")
    mutating func nonsense() {
        var generator = Random(seed: 5)
        var staged = ScriptedButton.twist
        let running = staged.runningTwist()
        var (session, button) = (running, staged)
        for round in 0..<5000 {
            if round % 40 == 0 || !session.isEstablished { (session, button) = (running, staged) }
            let opcode = Bool.random(using: &generator) ? [9, 10].randomElement(using: &generator)! : UInt8.random(in: 0..<26, using: &generator)
            let body = [opcode] + (0..<Int.random(in: 0..<140, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let actions = session.receive(button.says(body: body))
            for case .send(let packet) in actions where !button.understands(packet) { return record("\(body) led to \(actions)") }
            let isRight = actions.allSatisfy { if case .failed = $0 { false } else { true } }
            guard isRight, actions.count <= 40 else { return record("\(body) led to \(actions)") }
        }
    }

    @Test("Frames of any bytes change nothing before the session, and end it at most")
    mutating func randomFrames() {
        var session = button.client(nil)
        _ = session.start()
        let waiting = session.deadline
        var generator = Random(seed: 6)
        for _ in 0..<5000 {
            let frame = (0..<Int.random(in: 0..<600, using: &generator)).map { _ in UInt8.random(in: 1...255, using: &generator) }
            let actions = session.receive([frame])
            #expect(actions.count == 1)
            guard case .ignored = actions.first else { return record("\(frame) led to \(actions)") }
        }
        #expect(session.deadline == waiting)
    }
}
