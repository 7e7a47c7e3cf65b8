import FlicProtocol
import Testing

@Suite("A firmware update in a session (protocol 9.4)")
struct FirmwareSessionTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton()
    /// 250 words.
    private let image = try! FirmwareImage((0..<1008).map { UInt8(truncatingIfNeeded: $0 &* 31) })  // swift-format-ignore: NeverUseForceTry

    private func startRequest(_ image: FirmwareImage) -> StartFirmwareUpdateRequest {
        .with {
            $0.lengthWords = UInt16(image.payload.count / 4)
            $0.initializationVector = image.header
            $0.statusInterval = 60
        }
    }

    private func started(_ position: Int32) -> StartFirmwareUpdateResponse { .with { $0.startPosition = position } }
    private func acknowledged(_ position: Int32) -> FirmwareUpdateNotification { .with { $0.position = position } }
    private func progress(_ acknowledged: Int, _ sent: Int) -> Action {
        .firmwareProgress(.init(acknowledged: acknowledged, sent: sent, total: 1000))
    }

    /// What a client sends of the image.
    private mutating func data(_ range: Range<Int>) -> [Action] {
        stride(from: range.lowerBound, to: range.upperBound, by: 120).flatMap { start in
            button.hears(FirmwareUpdateDataInd.with { $0.data = Array(image.payload[start..<min(start + 120, range.upperBound)]) })
        }
    }

    @Test("From the start to the farewell, at both MTUs", arguments: [23, 140])
    mutating func whole(mtu: Int) {
        button = ScriptedButton(mtu: mtu)
        var session = button.runningClient()
        #expect(session.isRunning && session.updateFirmware(image) == button.hears(startRequest(image)))
        let first = data(0..<1000)
        #expect(first.count == (mtu == 23 ? 8 * 7 + 3 : 9))
        #expect(session.receive(button.says(started(0))) == first + [progress(0, 1000)])
        #expect(session.receive(button.says(acknowledged(60))) == [progress(240, 1000)])
        #expect(session.receive(button.says(acknowledged(240))) == [progress(960, 1000)])
        let farewell = button.hears(ForceBtDisconnectInd.with { $0.restartAdv = 1 })
        #expect(session.receive(button.says(acknowledged(250))) == [progress(1000, 1000), .firmwareInstalled] + farewell)
        // The session ends with the link.
        #expect(session.isEstablished && session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
    }

    @Test("Presses, pings and names go on meanwhile")
    mutating func beside() {
        var session = button.runningClient()
        _ = session.updateFirmware(image)
        _ = button.hears(startRequest(image))
        let first = data(0..<1000)
        #expect(session.receive(button.says(started(0))) == first + [progress(0, 1000)])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
        let rename = Rename(name: ButtonName("Hall"), timestamp: 5)
        #expect(session.rename(rename) == button.hears(button.setName(rename, isForced: true)))
        let press: [Action] = [.event(.live(1, count: 401, at: 200_000)), .progress(EventPosition(bootID: 7, eventCount: 401))]
        #expect(session.receive(button.says(ButtonEventNotification.of([.live(1, at: 200_000)], count: 401))) == press)
        #expect(session.receive(button.says(acknowledged(60))) == [progress(240, 1000)])
        #expect(session.receive(button.says(button.nameSet("Hall"))) == [.renameConfirmed(rename)])
    }

    @Test("Only a running session updates; one that is over does not even begin", arguments: SessionStage.allCases)
    func notRunning(_ stage: SessionStage) {
        var session = stage.staged().session
        let isRunning = session.isRunning
        let actions = session.updateFirmware(image)
        #expect(isRunning || actions == [.firmwareFailed(.notRunning)])
    }

    @Test("The start is one of two requests; taken back before its turn it is never sent")
    mutating func queued() {
        var session = button.runningClient()
        #expect(session.tick(at: .seconds(60)) == button.hears(GetBatteryLevelRequest()))
        let rename = Rename(name: ButtonName("Hall"), timestamp: 5)
        #expect(session.rename(rename) == button.hears(button.setName(rename, isForced: true)))
        #expect(session.updateFirmware(image) == [])
        #expect(session.abortFirmwareUpdate() == [.firmwareFailed(.aborted)])
        #expect(session.updateFirmware(image) == [])
        let next = button.hears(startRequest(image))
        #expect(session.receive(button.says(button.battery(1))) == [.battery(BatteryLevel(raw: 1))] + next)
        #expect(session.receive(button.says(button.nameSet("Hall"))) == [.renameConfirmed(rename)])
    }

    @Test("Two updates, one after the other: answers to the first one mean nothing")
    mutating func replaced() throws {
        let other = try FirmwareImage([UInt8](repeating: 9, count: 1008))
        var session = button.runningClient()
        #expect(session.updateFirmware(other) == button.hears(startRequest(other)))
        #expect(session.updateFirmware(image) == [.firmwareFailed(.aborted)] + button.hears(startRequest(image)))
        #expect(session.receive(button.says(started(-1))) == [.ignored(.unrequested(opcode: 18))])
        #expect(session.receive(button.says(acknowledged(60))) == [.ignored(.unexpected(opcode: 19))])
        #expect(session.receive(button.says(started(240))) == data(960..<1000) + [progress(960, 1000)])
        #expect(session.abortFirmwareUpdate() == [.firmwareFailed(.aborted)])
        #expect(session.receive(button.says(acknowledged(250))) == [.ignored(.unexpected(opcode: 19))])
        #expect(session.abortFirmwareUpdate() == [])
    }

    @Test("Answers to nothing, and answers that are too short, mean nothing")
    mutating func stray() {
        var session = button.runningClient()
        #expect(session.receive(button.says(started(0))) == [.ignored(.unrequested(opcode: 18))])
        #expect(session.receive(button.says(acknowledged(250))) == [.ignored(.unexpected(opcode: 19))])
        #expect(session.receive(button.says(body: [19, 1, 2, 3])) == [.ignored(.tooShort)])
        #expect(session.receive(button.says(body: [18, 1, 2, 3])) == [.ignored(.tooShort)])
    }

    @Test("A start that is not answered ends the session, as any request does")
    mutating func unanswered() {
        var session = button.runningClient()
        #expect(session.updateFirmware(image, at: .seconds(3)) == button.hears(startRequest(image)))
        #expect(session.deadline == .seconds(13))
        #expect(session.tick(at: .seconds(13)) == button.hears(DisconnectVerifiedLinkInd()) + [.failed(.unanswered(opcode: 17))])
    }

    @Test("A button that acknowledges nothing is given up after thirty seconds; the session goes on, and it can be tried again")
    mutating func stalled() {
        var session = button.runningClient()
        #expect(session.updateFirmware(image) == button.hears(startRequest(image)))
        let first = data(0..<1000)
        #expect(session.receive(button.says(started(0)), at: .seconds(2)) == first + [progress(0, 1000)])
        #expect(session.deadline == .seconds(32))
        #expect(session.tick(at: .seconds(32)) == [.firmwareFailed(.stalled)])
        #expect(session.updateFirmware(image, at: .seconds(32)) == button.hears(startRequest(image)))
        #expect(session.receive(button.says(started(250)), at: .seconds(33)) == [progress(1000, 1000)])
        let farewell = button.hears(ForceBtDisconnectInd.with { $0.restartAdv = 1 })
        #expect(session.receive(button.says(acknowledged(250)), at: .seconds(34)) == [progress(1000, 1000), .firmwareInstalled] + farewell)
    }

    @Test("The Duo's form goes into the same session")
    mutating func duo() throws {
        let image = try FirmwareImage((0..<1000).map { UInt8(truncatingIfNeeded: $0) }, for: .duo)
        var session = button.runningClient()
        let request = StartFirmwareUpdateDuoRequest.with {
            $0.length = 924
            $0.header = image.header
            $0.statusInterval = 2
        }
        #expect(session.updateFirmware(image) == button.hears(request))
        var expected: [Action] = []
        for start in stride(from: 0, to: 924, by: 110) {
            let data = Array(image.payload[start..<min(start + 110, 924)])
            expected += button.hears(FirmwareUpdateDataDuoInd.with { $0.data = data })
        }
        #expect(session.receive(button.says(started(0))) == expected + [.firmwareProgress(.init(acknowledged: 0, sent: 924, total: 924))])
    }

    @Test("Any answer at any time leaves a session that works", arguments: UInt64(1)...40)
    mutating func nonsense(seed: UInt64) {
        var session = button.runningClient()
        var state = seed
        func random(_ bound: Int32) -> Int32 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int32(truncatingIfNeeded: state >> 33) % bound
        }
        for step in 0..<200 {
            let now = Duration.seconds(step)
            switch random(4) {
            case 0: _ = session.updateFirmware(image, at: now)
            case 1: _ = session.receive(button.says(started(random(600))), at: now)
            case 2: _ = session.receive(button.says(acknowledged(random(600))), at: now)
            default: if random(3) == 0 { _ = session.abortFirmwareUpdate() }
            }
        }
        #expect(session.isEstablished)
        let answer = session.receive(button.says(PingRequest()))
        #expect(answer.count == 1)
        if case .send = answer.first {} else { Issue.record("a ping is not answered: \(answer)") }
    }
}

extension HostSession {
    fileprivate mutating func updateFirmware(_ image: FirmwareImage, at now: Duration = .zero) -> [Action] {
        var actions: [Action] = []
        updateFirmware(image, wasSent: false, now: now, into: &actions)
        return actions
    }

    fileprivate mutating func abortFirmwareUpdate() -> [Action] {
        var actions: [Action] = []
        abortFirmwareUpdate(into: &actions)
        return actions
    }
}
