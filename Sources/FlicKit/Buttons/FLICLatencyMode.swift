/// How fast presses arrive.
@nonexhaustive
public enum FLICLatencyMode: Int, Sendable {
    /// Less than 105 ms while connected. The default.
    case normal
    /// Typically less than 30 ms while connected, at the price of the battery. For games.
    case low
}
