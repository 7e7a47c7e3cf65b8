/// Which events are made of the presses of a button.
///
/// Raw downs and ups are told in every mode; a mode decides what is told besides them. One press is told once: as a click, as a hold, or as a part
/// of a double or triple click (protocol 8, contract B8 and B44).
public enum TriggerMode: Sendable, Hashable, CaseIterable {
    /// A click at the release, or a hold once the button has been down for the hold time. Clicks are told without delay.
    case clickAndHold

    /// Clicks and double clicks. A click is told when its double-click window has passed, however long the button was down.
    case clickAndDoubleClick

    /// Clicks, double clicks and holds. A further press of a double click is never a hold, however long it lasts.
    case clickAndDoubleClickAndHold

    /// A click as soon as the button goes down, and nothing else.
    case click

    /// Whether presses in quick succession become one event in this mode, so that a click has to wait for a second press.
    public var hasDoubleClick: Bool { self == .clickAndDoubleClick || self == .clickAndDoubleClickAndHold }

    /// Whether a long press is a hold in this mode.
    public var hasHold: Bool { self == .clickAndHold || self == .clickAndDoubleClickAndHold }
}
