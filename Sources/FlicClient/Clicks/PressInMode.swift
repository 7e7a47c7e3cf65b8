public import ClickClassifier

/// What was done with a button, as one trigger mode has it. A press is one such event in each mode.
public struct PressInMode: Hashable, Sendable {
    /// What was done, and when.
    public let press: PressEvent
    /// The mode in which it is that; nil for a down or an up, which are the same in all.
    public let mode: TriggerMode?
    /// The button had been down for half a second or more.
    public let isLong: Bool

    /// Makes one.
    public init(press: PressEvent, mode: TriggerMode?, isLong: Bool) {
        self.press = press
        self.mode = mode
        self.isLong = isLong
    }
}
