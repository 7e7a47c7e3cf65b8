import ClickClassifier
import Commands
import FlicProtocol

extension Measurement {
    private static let batches = Option(name: "--batches", value: "N", summary: "Take the mean of a thousand so often (100).")

    private static let only = Option(name: "--only", value: "FIGURE", summary: "Take this figure alone.")

    static let packet = Measurement(
        name: "packet",
        summary: "From a frame of the button to a click: time and allocations.",
        discussion: """
            Each figure is the mean of a thousand repetitions.
              tag         the signature of a packet with one event, 12 bytes
              event       a frame with one event: assembled, its signature checked, counted, told
              decision    the same with an event that decides a click and so is acknowledged: a packet is made, signed and framed
              click       the classifier: a down, an up, and the end of the double-click window
            """,
        options: [batches, only]
    ) { invocation in
        let count = try invocation.arguments.count(batches, usual: 100)
        let kinds: [(name: String, measure: (Int) throws -> Batches)] = [
            ("tag", tag), ("event", { try events([(1, 1), (8, 3)], $0) }), ("decision", { try events([(2, 4)], $0) }), ("click", click),
        ]
        let chosen = invocation.arguments.value(only)
        guard chosen == nil || kinds.contains(where: { $0.name == chosen }) else {
            throw ArgumentError(text: "There is no figure '\(chosen ?? "")'.")
        }
        let figures = try kinds.filter { chosen == nil || $0.name == chosen }.flatMap { try $0.measure(count).figures($0.name) }
        return Report(measurement: "packet", figures: figures)
    }

    private static func events(_ codes: [(code: UInt8, offset: UInt32)], _ count: Int) throws -> Batches {
        // As many frames for 1 batch as for 11: .ci/instructions takes the difference.
        guard let frames = EventFrames(count: (max(count, 11) + 1) * 1000, codes: codes) else {
            throw Invocation.Failure("The session was not verified.")
        }
        return frames.measure(count)
    }

    private static func tag(_ count: Int) -> Batches {
        let key = ChaskeyLTS(key: SecretBytes([UInt8](repeating: 7, count: 16)))
        let body = [UInt8](repeating: 1, count: 12)
        var sum: UInt64 = 0
        let batches = Batches(count, of: 1000) { sum &+= key.tag(counter: UInt64($0), direction: .fromButton, body: body.span) }
        keep(sum)
        return batches
    }

    private static func click(_ count: Int) -> Batches {
        var classifier = ClickClassifier(mode: .clickAndDoubleClickAndHold)
        var sum = 0
        let batches = Batches(count, of: 1000) { number in
            let start = UInt64(number) * 40_000
            sum &+= classifier.down(at: start).count
            sum &+= classifier.up(at: start + 3_000).count
            sum &+= classifier.advance(to: start + 16_384).count
        }
        keep(UInt64(sum))
        return batches
    }

    /// The optimiser cannot know that nobody looks at it.
    @inline(never)
    @_optimize(none)
    private static func keep(_ value: UInt64) {}
}

/// Frames of a running session, one event in each.
private struct EventFrames {
    private let session: HostSession
    private let frames: [[UInt8]]

    /// - Parameter codes: In turn, with the part of the counter that tells their kind; four values of it belong to each round.
    init?(count: Int, codes: [(code: UInt8, offset: UInt32)]) {
        guard var verified = VerifiedSession() else { return nil }
        frames = (0..<count).map { number in
            let (code, offset) = codes[number % codes.count]
            return verified.frame(event: code, count: 4 + UInt32(number / codes.count) * 4 + offset)
        }
        session = verified.session
    }

    func measure(_ batches: Int) -> Batches {
        var session = session
        var actions: [HostSession.Action] = []
        actions.reserveCapacity(16)
        return Batches(batches, of: 1000) { number in
            actions.removeAll(keepingCapacity: true)
            let frame = frames[number]
            session.receive(frame.span, now: .zero, into: &actions)
            guard case .event = actions.first else { preconditionFailure("the event was not told") }
        }
    }
}
