import FlicProtocol

/// A judge for each button of a device, under the same rules. All but the Flic Duo have one button.
struct PressJudges: Sendable {
    private var big: PressJudge
    /// Comes into being with the first event of the small button.
    private var small: PressJudge?

    init(rules: ClickRules) { big = PressJudge(rules: rules) }

    var rules: ClickRules {
        get { big.rules }
        set {
            big.rules = newValue
            small?.rules = newValue
        }
    }

    /// The press events of a button's event, in order of delivery. Does not allocate.
    mutating func judge(_ event: ButtonEvent, now: Duration, deliver: (PressEvent) -> Void) {
        switch event.button {
        case .big: big.judge(event, now: now, deliver: deliver)
        case .small:
            if small == nil { small = PressJudge(rules: rules) }
            small?.judge(event, now: now, deliver: deliver)
        }
    }

    /// When time alone may decide something.
    var deadline: Duration? {
        guard let first = big.deadline, let second = small?.deadline else { return big.deadline ?? small?.deadline }
        return min(first, second)
    }

    /// Lets the buttons' clock go on by what has passed here.
    mutating func tick(now: Duration, deliver: (PressEvent) -> Void) {
        big.tick(now: now, deliver: deliver)
        small?.tick(now: now, deliver: deliver)
    }

    /// See ``PressJudge/linkLost()``.
    mutating func linkLost() {
        big.linkLost()
        small?.linkLost()
    }

    /// See ``PressJudge/buttonRebooted()``.
    mutating func buttonRebooted() {
        big.buttonRebooted()
        small?.buttonRebooted()
    }
}
