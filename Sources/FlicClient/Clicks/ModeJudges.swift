import ClickClassifier
import FlicProtocol

/// What the button itself makes of its presses, in all modes that tell clicks at once.
struct ModeJudges: Sendable {
    /// Modes in the order of telling; ``TriggerMode/click`` only repeats the downs.
    private static let modes: [TriggerMode] = [.clickAndHold, .clickAndDoubleClick, .clickAndDoubleClickAndHold]
    /// Half a second, in ticks.
    private static let longPress = ButtonEvent.ticksPerSecond / 2

    private struct Judge {
        var translators = ModeJudges.modes.map { _ in ClickTranslator() }
        /// Ticks of the button's clock; nil before there was a down.
        var down: UInt64?
    }

    private var judges: [DuoButton: Judge] = [:]

    /// What an event means, its edge first.
    mutating func judge(_ event: ButtonEvent, deliver: (PressInMode) -> Void) {
        var judge = judges[event.button] ?? Judge()
        defer { judges[event.button] = judge }
        if event.code.kind == .down { judge.down = event.timestamp }
        let isLong = Self.isLong(event, since: judge.down)
        func tell(_ kind: PressEvent.Kind?, in mode: TriggerMode? = nil) {
            if let kind { deliver(PressInMode(press: PressEvent(kind, of: event), mode: mode, isLong: isLong)) }
        }
        switch event.code.kind {
        case .down: tell(.down)
        case .up: tell(.up)
        case .hold, .singleClickTimeout: break
        }
        for (index, mode) in Self.modes.enumerated() {
            let decision = judge.translators[index].translate(event, mode: mode)
            tell(decision.earlier, in: mode)
            tell(decision.click, in: mode)
        }
    }

    /// Where the down was lost, the button's own decision says it.
    private static func isLong(_ event: ButtonEvent, since down: UInt64?) -> Bool {
        switch event.code.kind {
        case .down, .singleClickTimeout: false
        case .hold: true
        case .up: down.map { event.timestamp &- $0 >= longPress } ?? (event.code.isSingleClick || event.code.isHeld)
        }
    }

    /// Nothing of an open press will follow.
    mutating func buttonRebooted() { judges = [:] }
}
