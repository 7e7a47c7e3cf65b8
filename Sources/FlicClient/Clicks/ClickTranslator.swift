import ClickClassifier
import FlicProtocol

/// Translates the button's own decisions into clicks (protocol 7.2, 8).
///
/// The codes say it all, but for one thing: some buttons send a single-click time-out after a press that has been decided already
/// (bug case D6). So the translator remembers whether the press in hand has been told.
struct ClickTranslator: Sendable {
    /// The press that the last event belongs to has been told as a click or hold.
    private var isTold = false

    /// The click that the event brings besides a raw down or up.
    mutating func translate(_ code: EventCode, mode: TriggerMode) -> PressEvent.Kind? {
        if code.kind == .down { isTold = false }
        guard !isTold, let click = click(code, mode: mode) else { return nil }
        isTold = true
        return click
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
