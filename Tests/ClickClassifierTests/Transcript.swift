import ClickClassifier

/// A call to a classifier, or a change of its mode.
enum Step: Sendable, Hashable {
    case down(UInt64)
    case up(UInt64)
    case advance(UInt64)
    case reset
    case mode(TriggerMode)
}

/// Milliseconds in ticks of the button's clock, rounded down.
func ms(_ milliseconds: UInt64) -> UInt64 { milliseconds * ClickClassifier.ticksPerSecond / 1_000 }

/// What a classifier tells when it is taken through some steps.
func transcript(_ steps: [Step], mode: TriggerMode, limits: ClickClassifier.Limits = .init()) -> [ClickClassifier.Event] {
    var classifier = ClickClassifier(mode: mode, limits: limits)
    return steps.flatMap { classifier.take($0) }
}

extension ClickClassifier {
    mutating func take(_ step: Step) -> [Event] {
        switch step {
        case .down(let time): return Array(down(at: time))
        case .up(let time): return Array(up(at: time))
        case .advance(let time): return Array(advance(to: time))
        case .reset: reset()
        case .mode(let mode): self.mode = mode
        }
        return []
    }
}

extension ClickClassifier.Event {
    static func down(_ time: UInt64) -> Self { Self(.down, at: time) }
    static func up(_ time: UInt64) -> Self { Self(.up, at: time) }
    static func click(_ time: UInt64) -> Self { Self(.click, at: time) }
    static func doubleClick(_ time: UInt64) -> Self { Self(.doubleClick, at: time) }
    static func tripleClick(_ time: UInt64) -> Self { Self(.tripleClick, at: time) }
    static func hold(_ time: UInt64) -> Self { Self(.hold, at: time) }

    /// Whether this is something other than a raw edge.
    var isClassified: Bool { kind != .down && kind != .up }
}
