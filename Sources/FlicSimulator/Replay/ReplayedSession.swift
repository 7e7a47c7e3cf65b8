import FlicClient
import FlicProtocol

/// A session that is led anew through a recorded life, and compared with the recording.
struct ReplayedSession {
    /// A recorded call and its answer.
    struct Step {
        let line: Int
        let time: Duration
        let call: TraceCall
        /// What was received, if that is the call.
        let frame: [UInt8]?
        let actions: [TraceAction]
    }

    /// How many frames may stand between the first fragment of a packet and its last: more than a packet can have.
    private static let mostFragments = 256

    private let number: Int
    private let steps: [Step]
    private var session: HostSession
    private let dialect: Dialect
    private let random: HostSession.Randomness
    private var button: ReplayedButton
    private var differences: [SessionReplay.Difference] = []

    /// Follows the fragments that were recorded.
    private var assembler = FrameAssembler()
    private var last: (recorded: [UInt8], replayed: [UInt8]) = ([], [])
    /// Packets that some fragments of have been received, as they have to be now, and how far that is; nil where they stay as they are.
    private var packets: [UInt8: (bytes: [UInt8], offset: Int)?] = [:]

    /// - Throws: ``TraceError`` if the session does not begin with its beginning.
    private init(_ number: Int, _ steps: [Step]) throws(TraceError) {
        guard let first = steps.first, first.call.name == .start, let recorded = first.call.beginning,
            let beginning = recorded.beginning(pairingKey: ReplayedButton.pairingKey)
        else { throw TraceError(.damaged, line: steps.first?.line, "session \(number) does not begin here, nor before.") }
        self.number = number
        self.steps = steps
        session = HostSession(beginning)
        dialect = beginning.peer.dialect
        var random = HostSession.Randomness(
            temporaryID: 0,
            privateKey: ReplayedButton.privateKey,
            fullVerify: [UInt8](repeating: 0, count: 8),
            quickVerify: [UInt8](repeating: 0, count: 7)
        )
        // What the answers of the button have to fit is taken from the recording.
        let opening = Self.packet(first.actions.first?.frame.flatMap { Hexadecimal.bytes($0) } ?? [], beginning.peer.dialect)
        if let request = FullVerifyRequest1(body: opening.span) {
            random.temporaryID = request.tmpID
        } else if let request = QuickVerifyRequest(body: opening.span) {
            random.temporaryID = request.tmpID
            random.quickVerify = request.clientRandom
        }
        self.random = random
        button = ReplayedButton(beginning, temporaryID: random.temporaryID)
    }

    /// What the session decides otherwise than it was recorded.
    static func differences(_ number: Int, _ steps: [Step]) throws(TraceError) -> [SessionReplay.Difference] {
        var replayed = try ReplayedSession(number, steps)
        for index in steps.indices { try replayed.take(index) }
        return replayed.differences
    }

    private mutating func take(_ index: Int) throws(TraceError) {
        let step = steps[index]
        var actions: [HostSession.Action] = []
        func member<Value>(_ value: Value?) throws(TraceError) -> Value {
            guard let value else { throw TraceError(.damaged, line: step.line, "the call '\(step.call.name)' is not complete.") }
            return value
        }
        switch step.call.name {
        case .start: session.start(random: random, now: step.time, into: &actions)
        case .receive:
            let frame = replayed(try member(step.frame), index)
            session.receive(frame.span, now: step.time, into: &actions)
        case .tick: session.tick(now: step.time, into: &actions)
        case .probe: session.probe(now: step.time, into: &actions)
        case .rename: session.rename(try member(step.call.rename).rename, now: step.time, into: &actions)
        case .setConnectionParameters: session.setConnectionParameters(try member(step.call.parameters), into: &actions)
        case .setAutoDisconnectTime: session.setAutoDisconnectTime(try member(step.call.seconds), into: &actions)
        case .setAdvertising: session.setAdvertising(try member(step.call.advertising), now: step.time, into: &actions)
        case .setPushTwist: session.setPushTwist(try member(step.call.buttons), into: &actions)
        case .setTwist: session.setTwist(try member(step.call.twist).configuration, now: step.time, into: &actions)
        case .setTwistPosition:
            session.setTwistPosition(try member(step.call.position), mode: try member(step.call.mode), into: &actions)
        case .updateFirmware:
            let firmware = try member(step.call.firmware)
            session.updateFirmware(try member(firmware.image), wasSent: firmware.wasSent, now: step.time, into: &actions)
        case .abortFirmwareUpdate: session.abortFirmwareUpdate(into: &actions)
        case .close: session.close(into: &actions)
        }
        compare(actions, with: step)
    }

    // MARK: What the button sends

    private mutating func replayed(_ frame: [UInt8], _ index: Int) -> [UInt8] {
        if frame == last.recorded { return last.replayed }  // the session drops it
        let client = session.connectionID ?? 0
        var replayed = frame
        if !dialect.hasFrames {
            replayed = button.packet(frame, isForSession: session.connectionID != nil, steps[index].actions)
        } else if frame.count >= 2 {
            let header = FrameHeader(rawValue: frame[0])
            if header.concernsClient(client) {
                let id = header.connectionID
                if packets[id] == nil { packets[id] = .some(packet(from: index, id, client).map { ($0, 0) }) }
                if case .some(.some(let packet)) = packets[id], packet.offset + frame.count - 1 <= packet.bytes.count {
                    let end = packet.offset + frame.count - 1
                    replayed = [frame[0]] + packet.bytes[packet.offset..<end]
                    packets[id] = .some((packet.bytes, end))
                }
                let outcome = assembler.receive(frame.span, client: client)
                if case .completed(let header) = outcome { _ = assembler.take(header) }
                if outcome != .partial { packets[id] = nil }
            }
        }
        last = (frame, replayed)
        return replayed
    }

    /// The whole packet that begins with the frame of a step, as it has to be now; nil if it does not come to its end.
    private mutating func packet(from index: Int, _ id: UInt8, _ client: UInt8) -> [UInt8]? {
        var assembler = assembler
        var before: [UInt8] = last.recorded
        for step in steps[index..<min(index + Self.mostFragments, steps.count)] {
            guard let frame = step.frame, frame != before else { continue }
            before = frame
            let packet: [UInt8]
            switch assembler.receive(frame.span, client: client) {
            case .whole(let header) where header.connectionID == id: packet = Array(frame.dropFirst())
            case .completed(let header):
                let whole = assembler.take(header)
                guard header.connectionID == id else { continue }
                packet = whole
            case .oversize where FrameHeader(rawValue: frame[0]).connectionID == id: return nil
            case .whole, .oversize, .partial, .notMine, .tooShort: continue
            }
            return button.packet(packet, isForSession: id == client && id != 0, step.actions)
        }
        return nil
    }

    // MARK: Comparing

    private mutating func compare(_ actions: [HostSession.Action], with step: Step) {
        let free = freeBytes(of: actions)
        for (index, action) in actions.enumerated() {
            let replayed = TraceAction(action)
            guard index < step.actions.count else {
                note(step, "recorded nothing more, replayed \(replayed)")
                continue
            }
            if !Self.isLike(step.actions[index], replayed, free[index]) { note(step, "recorded \(step.actions[index]), replayed \(replayed)") }
        }
        for action in step.actions.dropFirst(actions.count) { note(step, "recorded \(action), replayed nothing more") }
    }

    private mutating func note(_ step: Step, _ text: String) {
        differences.append(SessionReplay.Difference(line: step.line, session: number, text: "\(step.call.name): \(text)"))
    }

    private static func isLike(_ recorded: TraceAction, _ replayed: TraceAction, _ free: Set<Int>) -> Bool {
        var recorded = recorded
        recorded.masked = nil
        guard let text = recorded.frame, let old = Hexadecimal.bytes(text), let new = replayed.frame.flatMap({ Hexadecimal.bytes($0) }) else {
            return recorded == replayed
        }
        recorded.frame = replayed.frame
        return recorded == replayed && old.count == new.count && old.indices.allSatisfy { old[$0] == new[$0] || free.contains($0) }
    }

    /// For each action, the bytes of a frame that follow from keys and random numbers. The button hears of the packets.
    private mutating func freeBytes(of actions: [HostSession.Action]) -> [Set<Int>] {
        var free = [Set<Int>](repeating: [], count: actions.count)
        var packet: [UInt8] = []
        /// Where in the packet the frames of these actions begin.
        var starts: [(action: Int, offset: Int, count: Int)] = []
        for (index, action) in actions.enumerated() {
            guard case .send(let frame) = action, let header = frame.first.map(FrameHeader.init(rawValue:)) else { continue }
            guard dialect.hasFrames else {
                let whole = Self.packet(frame, dialect)
                for range in Self.freeRanges(of: whole, dialect, hasKey: button.hasKey) { free[index].formUnion(range) }
                button.receive(whole)
                continue
            }
            starts.append((index, packet.count, frame.count - 1))
            packet += frame.dropFirst()
            guard !header.hasMore else { continue }
            for range in Self.freeRanges(of: packet, dialect, hasKey: button.hasKey) {
                for (action, offset, count) in starts {
                    free[action].formUnion(range.clamped(to: offset..<offset + count).map { $0 - offset + 1 })
                }
            }
            button.receive(packet)
            packet = []
            starts = []
        }
        return free
    }

    private static func kind(_ sessionOpcode: UInt8, _ dialect: Dialect) -> (any Packet.Type)? {
        switch dialect {
        case .flic2: PacketCatalog.packet(sessionOpcode, .toButton)
        case .twist: PacketCatalog.twistToButton.first { $0.sessionOpcode == sessionOpcode }
        }
    }

    /// What is in the only frame of a packet of the host, under the number that sessions use.
    private static func packet(_ frame: [UInt8], _ dialect: Dialect) -> [UInt8] {
        guard !dialect.hasFrames, let opcode = frame.first else { return Array(frame.dropFirst()) }
        return [dialect.sessionOpcode(of: opcode, .toButton)] + frame.dropFirst()
    }

    /// Keys, random numbers, proofs and signatures (protocol 4.2, 5.6).
    private static func freeRanges(of packet: [UInt8], _ dialect: Dialect, hasKey: Bool) -> [Range<Int>] {
        guard let opcode = packet.first, let kind = kind(opcode, dialect) else { return [] }
        switch opcode {
        case FullVerifyRequest1.opcode: return [1..<5]
        case FullVerifyRequest2WithoutAppToken.opcode: return [1..<41, 42..<58]
        case TestIfReallyUnpairedRequest.opcode: return [1..<41, 45..<61]
        case QuickVerifyRequest.opcode: return [1..<8, 9..<13]
        default: break
        }
        let isSigned =
            switch kind.signing {
            case .never: false
            case .always: true
            case .inSession: hasKey
            }
        return isSigned ? [max(packet.count - PacketSigner.tagLength, 0)..<packet.count] : []
    }
}
