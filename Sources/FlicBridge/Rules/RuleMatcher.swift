package import FoundationEssentials

/// Decides whether a rule fires. It remembers when it did, for each button.
package struct RuleMatcher: Sendable {
    package let rule: Configuration.Rule
    private let buttons: Set<String>
    private var lastTimes: [UUID: Duration] = [:]

    package init(_ rule: Configuration.Rule) {
        self.rule = rule
        buttons = Set(rule.buttons.map { $0.lowercased() })
    }

    /// Whether the rule fires, and why not.
    ///
    /// - Parameter now: By a clock that does not go back.
    package func verdict(on subject: RuleSubject, now: Duration) -> RuleVerdict {
        guard rule.events.contains(subject.kind) else { return .otherEvent }
        if !buttons.isEmpty, let names = subject.names, buttons.isDisjoint(with: names) { return .otherButton }
        if let number = rule.buttonNumber, number != subject.buttonNumber { return .otherButtonNumber }
        if let queued = rule.queued, queued != subject.isQueued { return queued ? .notQueued : .queued }
        if let maxAge = rule.maxAge, .seconds(subject.age) > maxAge { return .tooOld }
        if let minInterval = rule.minInterval, let button = subject.button, let last = lastTimes[button], now - last < minInterval {
            return .tooSoon(minInterval - (now - last))
        }
        return .fires
    }

    /// The rule has fired.
    package mutating func note(_ subject: RuleSubject, now: Duration) {
        if rule.minInterval != nil, let button = subject.button { lastTimes[button] = now }
    }

    /// The button is gone.
    package mutating func forget(_ button: UUID) { lastTimes[button] = nil }
}

/// Whether a rule fires.
package enum RuleVerdict: Sendable, Equatable {
    case fires
    /// It is for other events.
    case otherEvent
    case otherButton
    /// It is for the other button of a Flic Duo.
    case otherButtonNumber
    /// It is not for presses from before the button was ready.
    case queued
    /// It is for those only.
    case notQueued
    case tooOld
    /// It has just fired for this button; after this time it may again.
    case tooSoon(Duration)

    /// One word for programs.
    package var reason: String {
        switch self {
        case .fires: "fires"
        case .otherEvent: "otherEvent"
        case .otherButton: "otherButton"
        case .otherButtonNumber: "otherButtonNumber"
        case .queued: "queued"
        case .notQueued: "notQueued"
        case .tooOld: "tooOld"
        case .tooSoon: "tooSoon"
        }
    }
}
