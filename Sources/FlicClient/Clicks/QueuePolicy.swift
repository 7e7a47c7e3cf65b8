/// What becomes of that which was done with a button while it was not connected, and is told late.
///
/// A policy looks at whole gestures: a click, a double click, a hold, each with its downs and ups. Whatever it decides, the button hears that
/// everything has arrived, so that nothing comes twice and the button's memory does not fill up.
public enum QueuePolicy: Hashable, Sendable {
    /// Everything is told, as soon as it arrives.
    case all
    /// What is older than this many seconds, by the button's own clock, is dropped.
    case notOlder(than: Int)
    /// Only the last few gestures are told.
    case latest(Int)
    /// Of several gestures of one kind only the last is told.
    case latestOfEachKind
    /// Nothing is told.
    case none
}

/// In settings and files: `all`, `none`, `latest:3`, `not-older:60` (seconds), `latest-of-each-kind`.
extension QueuePolicy: LosslessStringConvertible {
    /// Nil if the text names no policy. Numbers are from 0 to 1,000,000,000.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let number = parts.count == 2 ? Int(parts[1]).flatMap { (0...1_000_000_000).contains($0) ? $0 : nil } : nil
        switch (parts[0], parts.count, number) {
        case ("all", 1, _): self = .all
        case ("none", 1, _): self = .none
        case ("latest-of-each-kind", 1, _): self = .latestOfEachKind
        case ("latest", 2, let count?): self = .latest(count)
        case ("not-older", 2, let seconds?): self = .notOlder(than: seconds)
        default: return nil
        }
    }

    /// As it is read by ``init(_:)``.
    public var description: String {
        switch self {
        case .all: "all"
        case .none: "none"
        case .latestOfEachKind: "latest-of-each-kind"
        case .latest(let count): "latest:\(count)"
        case .notOlder(let seconds): "not-older:\(seconds)"
        }
    }
}

/// Holds queued events back until the queue is over, and tells those that the policy admits.
struct QueueFilter: Sendable {
    /// Events that are held. If a button sends more, it is judged in parts.
    static let capacity = 4096

    var policy: QueuePolicy
    private var held: [PressEvent] = []

    init(_ policy: QueuePolicy) { self.policy = policy }

    /// Whether there are events that have neither been told nor dropped.
    var isHolding: Bool { !held.isEmpty }

    /// Takes an event. Does not allocate where it passes.
    mutating func receive(_ event: PressEvent, isQueueOver: Bool, deliver: (PressEvent) -> Void) {
        guard event.isQueued, policy != .all else { return deliver(event) }
        held.append(event)
        // After the queue there is only what time has decided of it, one by one.
        if isQueueOver || held.count == Self.capacity { finish(deliver) }
    }

    /// The queue is over, or will not go on in this session.
    mutating func finish(_ deliver: (PressEvent) -> Void) {
        guard isHolding else { return }
        let gestures = Self.gestures(of: held)
        held.removeAll(keepingCapacity: false)
        for gesture in admitted(gestures) { for event in gesture { deliver(event) } }
    }

    private func admitted(_ gestures: [ArraySlice<PressEvent>]) -> [ArraySlice<PressEvent>] {
        switch policy {
        case .all: return gestures
        case .notOlder(let seconds): return gestures.filter { ($0.last?.age ?? 0) <= seconds }
        case .latest(let count): return gestures.suffix(max(count, 0))
        case .latestOfEachKind:
            var seen: Set<PressEvent.Kind?> = []
            return gestures.reversed().filter { seen.insert(Self.kind(of: $0)).inserted }.reversed()
        case .none: return []
        }
    }

    /// What was done: the click that a gesture ended in; nil for downs and ups that are no click in the trigger mode.
    private static func kind(of gesture: ArraySlice<PressEvent>) -> PressEvent.Kind? {
        gesture.last { $0.kind.isDecision }?.kind
    }

    /// A gesture ends before the down of a press that has nothing to do with the one before: either that has been decided, or the next
    /// decision is not about both of them.
    private static func gestures(of events: [PressEvent]) -> [ArraySlice<PressEvent>] {
        // Whether the next decision is a double or triple click, for each event.
        var isRepeated = [Bool](repeating: false, count: events.count)
        var isNextRepeated = false
        for index in events.indices.reversed() {
            if events[index].kind.isDecision { isNextRepeated = events[index].kind == .doubleClick || events[index].kind == .tripleClick }
            isRepeated[index] = isNextRepeated
        }
        var gestures: [ArraySlice<PressEvent>] = []
        var start = events.startIndex
        var isDecided = false
        for index in events.indices {
            if index > start, events[index].kind == .down, isDecided || !isRepeated[index] {
                gestures.append(events[start..<index])
                start = index
                isDecided = false
            }
            isDecided = isDecided || events[index].kind.isDecision
        }
        if start < events.endIndex { gestures.append(events[start...]) }
        return gestures
    }
}

extension PressEvent.Kind {
    /// Anything but downs and ups.
    fileprivate var isDecision: Bool { self != .down && self != .up }
}
