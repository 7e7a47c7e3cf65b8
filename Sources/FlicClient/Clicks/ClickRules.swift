public import ClickClassifier

/// How presses of a button become clicks, double clicks and holds.
public struct ClickRules: Hashable, Sendable {
    /// Who decides.
    enum Judge: Hashable, Sendable {
        /// The button itself; its decisions are translated.
        case button
        /// The classifier on the host, with limits of its own.
        case host(ClickClassifier.Limits)
    }

    /// Which events there are besides downs and ups.
    public var mode: TriggerMode
    let judge: Judge

    private init(mode: TriggerMode, judge: Judge) {
        self.mode = mode
        self.judge = judge
    }

    /// - Parameter limits: nil if the button is to decide.
    package init(mode: TriggerMode, limits: ClickClassifier.Limits?) {
        self.init(mode: mode, judge: limits.map { .host($0) } ?? .button)
    }

    /// The limits of one's own; nil if the button decides.
    public var limits: ClickClassifier.Limits? { if case .host(let limits) = judge { limits } else { nil } }

    /// The button's own decisions: half a second for a double click, one second for a hold. Exact for queued presses and
    /// independent of the radio.
    public static func standard(_ mode: TriggerMode) -> ClickRules { ClickRules(mode: mode, judge: .button) }

    /// Limits of one's own, judged on the button's clock. Decisions that wait for time to pass come a little later than the limit, to
    /// allow for the radio.
    public static func custom(_ mode: TriggerMode, limits: ClickClassifier.Limits) -> ClickRules {
        ClickRules(mode: mode, judge: .host(limits))
    }
}
