import ClickClassifier
import FlicProtocol

/// Makes press events of the button's events, by the rules set for it.
struct PressJudge: Sendable {
    /// What the radio may add to a limit: the time until a press that lies before the limit must have arrived. 1/4 s.
    static let slack: UInt64 = ButtonEvent.ticksPerSecond / 4

    var rules: ClickRules {
        didSet {
            guard rules != oldValue else { return }
            if rules.judge == oldValue.judge {
                classifier?.mode = rules.mode
            } else {
                classifier = Self.classifier(for: rules)
            }
        }
    }
    private var translator = ClickTranslator()
    private var classifier: ClickClassifier?
    /// The last event seen, which dates those that come by time alone.
    private var last: (event: ButtonEvent, now: Duration)?

    init(rules: ClickRules) {
        self.rules = rules
        classifier = Self.classifier(for: rules)
    }

    private static func classifier(for rules: ClickRules) -> ClickClassifier? {
        guard case .host(let limits) = rules.judge else { return nil }
        return ClickClassifier(mode: rules.mode, limits: limits)
    }

    /// The press events of a button's event, in order of delivery. Does not allocate.
    mutating func judge(_ event: ButtonEvent, now: Duration, deliver: (PressEvent) -> Void) {
        last = (event, now)
        guard classifier == nil else {
            // Decisions of the button are advances of its clock; edges are judged anew.
            let events =
                switch event.code.kind {
                case .down: classifier?.down(at: event.timestamp)
                case .up: classifier?.up(at: event.timestamp, isClick: PressEvent.Kind(swipe: event.gesture) == nil)
                case .hold, .singleClickTimeout: classifier?.advance(to: event.timestamp)
                }
            if let events { for classified in events { deliver(PressEvent(classified, like: event)) } }
            if event.code.kind == .up, let swipe = PressEvent.Kind(swipe: event.gesture) { deliver(PressEvent(swipe, of: event)) }
            return
        }
        let decision = translator.translate(event, mode: rules.mode)
        switch event.code.kind {
        case .down: deliver(PressEvent(.down, of: event))
        case .up: deliver(PressEvent(.up, of: event))
        case .hold, .singleClickTimeout: break
        }
        if let click = decision.earlier { deliver(PressEvent(click, of: event)) }
        if let click = decision.click { deliver(PressEvent(click, of: event)) }
    }

    /// When time alone may decide something; nil with standard rules, where the button decides.
    var deadline: Duration? {
        guard let due = classifier?.deadline, let last else { return nil }
        let ticks = min((due &- last.event.timestamp) & 0xFFFF_FFFF_FFFF, ClickClassifier.Limits.range.upperBound)
        return last.now + .microseconds(Int64((ticks + Self.slack) * 1_000_000 / ButtonEvent.ticksPerSecond))
    }

    /// Lets the button's clock go on by what has passed here.
    mutating func tick(now: Duration, deliver: (PressEvent) -> Void) {
        guard let deadline, deadline <= now, let due = classifier?.deadline, let last else { return }
        let events = classifier?.advance(to: due)
        if let events { for classified in events { deliver(PressEvent(classified, like: last.event)) } }
    }

    /// The link was lost: nothing is decided by time alone until the button tells more. The button keeps what happens meanwhile and
    /// sends it, with its own times, in the next session, so an open press goes on there.
    mutating func linkLost() {
        last = nil
    }

    /// The button has rebooted: its clock starts anew, and nothing of an open press will follow.
    mutating func buttonRebooted() {
        linkLost()
        classifier?.reset()
        translator = ClickTranslator()
    }
}

extension PressEvent {
    init(_ kind: Kind, of event: ButtonEvent) {
        self.init(kind, at: event.timestamp, of: event)
    }

    init(_ classified: ClickClassifier.Event, like event: ButtonEvent) {
        let kind: Kind =
            switch classified.kind {
            case .down: .down
            case .up: .up
            case .click: .click
            case .doubleClick: .doubleClick
            case .tripleClick: .tripleClick
            case .hold: .hold
            }
        self.init(kind, at: classified.time, of: event)
    }

    private init(_ kind: Kind, at time: UInt64, of event: ButtonEvent) {
        self.init(
            kind: kind,
            isQueued: event.wasQueued,
            age: event.ageSeconds,
            exactAge: Double(event.ageTicks) / Double(ButtonEvent.ticksPerSecond),
            timestamp: time,
            eventCount: event.count,
            buttonNumber: Int(event.button.rawValue),
            gesture: event.gesture.map { Gesture($0) },
            acceleration: event.acceleration.map { Acceleration($0) },
            twistMode: event.twistMode.map { Int($0) }
        )
    }
}

extension PressEvent.Gesture {
    init(_ gesture: DuoEvent.Gesture) {
        self =
            switch gesture {
            case .left: .left
            case .right: .right
            case .up: .up
            case .down: .down
            case .unrecognized: .unrecognized
            }
    }
}

extension PressEvent.Acceleration {
    /// What the sensor says where there is nothing but gravity (protocol 13.3).
    private static let unit = 64.04

    init(_ raw: DuoEvent.Acceleration) {
        self.init(x: Double(raw.x) / Self.unit, y: Double(raw.y) / Self.unit, z: Double(raw.z) / Self.unit)
    }
}
