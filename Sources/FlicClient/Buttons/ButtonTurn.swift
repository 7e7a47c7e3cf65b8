import FlicProtocol

/// How a button of a Flic Duo was turned while it was held down (protocol 13.4).
public struct ButtonTurn: Hashable, Sendable {
    /// Which button is held: 0 is the big one, 1 the small one.
    public let buttonNumber: Int
    /// In whole turns, since the report before. Which direction is positive is not documented.
    public let turns: Double
    /// The first report of this press.
    public let isFirst: Bool
    /// The button has been held for half a second or more.
    public let isLong: Bool

    /// Makes one.
    public init(buttonNumber: Int, turns: Double, isFirst: Bool, isLong: Bool) {
        self.buttonNumber = buttonNumber
        self.turns = turns
        self.isFirst = isFirst
        self.isLong = isLong
    }

    init(_ turn: PushTwist) {
        self.init(buttonNumber: Int(turn.button.rawValue), turns: Double(turn.angle) / 65_536, isFirst: turn.isFirst, isLong: turn.isLong)
    }
}
