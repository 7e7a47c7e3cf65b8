import Fixtures
import FlicProtocol
import Testing

/// The client side of the recorded sessions.
@Suite("Recorded sessions, client side (protocol 6)")
struct HostTranscriptTests {
    @Test("All 51 recorded sessions are there")
    func count() {
        #expect(RecordedSession.all.count == 51)
    }

    @Test("51 recorded sessions: the client sends the very bytes, and hears what was recorded", arguments: RecordedSession.all)
    func replay(_ recorded: RecordedSession) throws {
        var session = recorded.makeSession()
        var actions: [HostSession.Action] = []
        session.start(random: recorded.random, now: .zero, into: &actions)
        var sent: [[UInt8]] = []
        var heard: [Heard] = []
        for step in recorded.steps.dropFirst() {
            drain(&actions, &sent, &heard)
            guard step.from.string == "button", let frame = step.frame.bytes else { continue }
            session.receive(frame.span, now: .zero, into: &actions)
        }
        drain(&actions, &sent, &heard)

        let expected = try strictFrames(of: recorded)
        #expect(!expected.isEmpty)
        #expect(Array(sent.prefix(expected.count)).map(\.hex) == expected.map(\.hex))
        if !recorded.isPyflic { #expect(heard == recorded.heard) }
    }

    private func drain(_ actions: inout [HostSession.Action], _ sent: inout [[UInt8]], _ heard: inout [Heard]) {
        let hasPaired = actions.contains { if case .paired = $0 { true } else { false } }
        for action in actions {
            switch action {
            case .send(let frame): sent.append(frame)
            case .verified where hasPaired: break  // the recorded client says "paired" instead
            default: heard += Heard.list(action)
            }
        }
        actions.removeAll(keepingCapacity: true)
    }

    /// The client's frames before `strict_until`. pyflic-ble appends three zero bytes to its init request, which no client has to
    /// (protocol 11): there the expected frame is signed anew for the 14 bytes of protocol 4.3.
    private func strictFrames(of recorded: RecordedSession) throws -> [[UInt8]] {
        try recorded.steps.filter { $0.from.string == "client" && Int($0.n.unsigned!) < recorded.strictUntil }.map { step in
            let frame = try #require(step.frame.bytes)
            guard recorded.isPyflic, step.completes.packet.string == "InitButtonEventsLightRequest" else { return frame }
            let body = try #require(step.completes.body.bytes)
            #expect(Array(body.suffix(3)) == [0, 0, 0] && body.count == 17)
            let key = ChaskeyLTS(key: try #require(recorded.sessionKey))
            var signer = PacketSigner(key: key, direction: .toButton)
            return [frame[0]] + signer.sign(Array(body.prefix(14)))
        }
    }
}

/// What the recorded C client reports, in comparable form.
enum Heard: Equatable {
    case paired(uuid: [UInt8], firmware: UInt64)
    case ready
    case battery(millivolts: Int)
    case queueFinished
    case raw(kind: String, wasQueued: Bool, count: UInt64, tenths: Int)
    case failed(code: Int, subcode: Int)
    case unpaired

    init?(step: JSONValue) {
        guard step.from.string == "event" else { return nil }
        switch step.event.string {
        case "paired": self = .paired(uuid: step.uuid.bytes ?? [], firmware: step.firmware_version.unsigned ?? 0)
        case "ready": self = .ready
        case "battery": self = .battery(millivolts: Int(step.millivolt.unsigned ?? 0))
        case "all queued events processed": self = .queueFinished
        case "unpaired": self = .unpaired
        case "failed": self = .failed(code: Int(step.code.unsigned ?? 0), subcode: Int(step.subcode.unsigned ?? 0))
        case "button" where step.mode.string == "raw":
            self = .raw(
                kind: step.kind.string ?? "",
                wasQueued: step.was_queued.bool ?? false,
                count: step.event_count.unsigned ?? 0,
                tenths: Int(((step.age_seconds.double ?? 0) * 10).rounded())
            )
        default: return nil
        }
    }
}

extension Heard {
    /// Nothing for actions that the recorded client does not report.
    fileprivate static func list(_ action: HostSession.Action) -> [Heard] {
        switch action {
        case .paired(let button):
            return [
                .paired(uuid: button.uuid, firmware: UInt64(button.firmwareVersion)),
                .battery(millivolts: button.battery.millivolts),
            ]
        case .verified: return [.ready]
        case .battery(let level): return [.battery(millivolts: level.millivolts)]
        case .queueFinished: return [.queueFinished]
        case .unpaired: return [.unpaired]
        case .event(let event):
            guard event.code.kind == .down || event.code.kind == .up else { return [] }
            return [
                .raw(
                    kind: event.code.kind == .down ? "down" : "up",
                    wasQueued: event.wasQueued,
                    count: UInt64(event.count),
                    tenths: Int((Double(event.ageTicks) * 10 / 32768).rounded())
                )
            ]
        case .failed(let failure):
            let (code, subcode) =
                switch failure {
                case .timedOut: (7, 0)
                case .appCredentialsDenied: (10, 0)
                case .unexpectedAddress: (12, 0)
                case .invalidCertificate: (12, 1)
                case .invalidVerifier: (12, 2)
                case .invalidCalculatedSignature, .pairingDeniedButPresent: (12, 3)
                case .quickVerifySignatureMismatch: (13, 0)
                case .packetSignatureMismatch: (14, 0)
                case .tooManyApps: (15, 0)
                case .unknownRefusal(let reason): (18, Int(reason))
                case .notInPublicMode: (50, 0)
                case .unanswered, .mtuTooSmall: (0, 0)
                }
            return [.failed(code: code, subcode: subcode)]
        default: return []
        }
    }
}

extension RecordedSession {
    /// What the client reported.
    fileprivate var heard: [Heard] {
        let all = steps.compactMap(Heard.init(step:))
        guard json.name.string == "the queue is replayed although already seen" else { return all }
        // The recorded client delivers the replayed press again; the duplicate rule of protocol 7.3 drops it.
        return all.filter { if case .raw(_, _, let count, _) = $0 { count > 4 } else { true } }
    }
}
