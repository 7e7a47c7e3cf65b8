import ClickClassifier
import FlicProtocol

/// Translates the button's own decisions into clicks and swipes (protocol 7.2, 8, 13.3).
///
/// The codes say it all, but for two things. Some buttons send a single-click time-out after a press that has been decided already (bug case
/// D6), so the translator remembers whether the press in hand has been told. And to a Flic Duo a swipe is a press like any other: here it is
/// told as a swipe and as nothing else, and the presses before and after it stand alone.
struct ClickTranslator: Sendable {
    /// What an event brings besides a raw down or up, in this order.
    struct Decision: Equatable {
        /// What became of the press before, which waited for a second one.
        var earlier: PressEvent.Kind?
        var click: PressEvent.Kind?
    }

    /// The press that the last event belongs to has been told as a click, a hold or a swipe.
    private var isTold = false
    /// The press before that has not been told: it waits for its second press.
    private var isWaiting = false
    /// The press before was a swipe, which the button may take for half of a double click.
    private var followsSwipe = false
    /// The last edge was a down.
    private var isDown = false
    /// What the last up leaves for the next press.
    private var leavesWaiting = false
    private var leavesSwipe = false

    mutating func translate(_ event: ButtonEvent, mode: TriggerMode) -> Decision {
        let code = followsSwipe && event.code.kind != .down ? event.code.alone : event.code
        switch code.kind {
        case .down:
            isDown = true
            isTold = false
            isWaiting = leavesWaiting
            followsSwipe = leavesSwipe
            leavesWaiting = false
            leavesSwipe = false
        case .up:
            isDown = false
            if let swipe = PressEvent.Kind(swipe: event.gesture) {
                let earlier: PressEvent.Kind? = isWaiting && code.isDoubleClick ? .click : nil
                isTold = true
                leavesSwipe = event.code.isUndecidedUp
                return Decision(earlier: earlier, click: swipe)
            }
            leavesWaiting = code.isUndecidedUp && mode.hasDoubleClick && !isTold
        case .singleClickTimeout where isDown:
            // Only a Flic Twist: the press in hand turns out to be a hold, so that the one before it was a click (protocol 14.3).
            guard isWaiting else { return Decision() }
            isWaiting = false
            return Decision(earlier: .click)
        case .singleClickTimeout:
            leavesWaiting = false
            leavesSwipe = false
        case .hold: break
        }
        guard !isTold, let click = click(code, mode: mode) else { return Decision() }
        isTold = true
        return Decision(click: click)
    }

    private func click(_ code: EventCode, mode: TriggerMode) -> PressEvent.Kind? {
        switch code.kind {
        case .down:
            return mode == .click ? .click : nil
        case .singleClickTimeout:
            return mode.hasDoubleClick ? .click : nil
        case .hold:
            // A hold of the second press is a hold only where there are no double clicks.
            return mode.hasHold && !(mode.hasDoubleClick && code.isHoldOfSecondPress) ? .hold : nil
        case .up:
            switch mode {
            case .click: return nil
            case .clickAndHold: return code.isHeld ? nil : .click
            case .clickAndDoubleClick, .clickAndDoubleClickAndHold:
                if code.isDoubleClick { return .doubleClick }
                let isClick = code.isSingleClick && !(mode.hasHold && code.isHeld)
                return isClick ? .click : nil
            }
        }
    }
}

extension PressEvent.Kind {
    /// Nil if there was no gesture, or none that was recognised: then the press is a press.
    init?(swipe gesture: DuoEvent.Gesture?) {
        switch gesture {
        case .left: self = .swipeLeft
        case .right: self = .swipeRight
        case .up: self = .swipeUp
        case .down: self = .swipeDown
        case .unrecognized, nil: return nil
        }
    }
}
