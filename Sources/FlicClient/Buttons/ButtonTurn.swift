import FlicProtocol

/// How a Flic Twist was turned (protocol 14.3), or a button of a Flic Duo while it was held down (protocol 13.4).
public struct ButtonTurn: Hashable, Sendable {
    /// Which button of a Flic Duo is held: 0 is the big one, 1 the small one. 0 for a Flic Twist.
    public let buttonNumber: Int
    /// In whole turns, since the report before. Which direction is positive is not documented.
    public let turns: Double
    /// The first report of this press; only of a Flic Duo.
    public let isFirst: Bool
    /// The button has been held for half a second or more; only of a Flic Duo.
    public let isLong: Bool
    /// The mode in which a Flic Twist was turned, as in ``TwistConfiguration``; nil for a Flic Duo.
    public let twistMode: Int?
    /// Where a Flic Twist stands in that mode now: 0 to 1. Where it is turned beyond either end, the way back begins there. Nil for a Flic Duo.
    public let position: Double?

    /// Makes one.
    public init(buttonNumber: Int, turns: Double, isFirst: Bool = false, isLong: Bool = false, twistMode: Int? = nil, position: Double? = nil) {
        self.buttonNumber = buttonNumber
        self.turns = turns
        self.isFirst = isFirst
        self.isLong = isLong
        self.twistMode = twistMode
        self.position = position
    }

    init(_ turn: TwistTurn) {
        let whole = Double(TwistConfiguration.wholeTurn)
        self.init(buttonNumber: 0, turns: Double(turn.delta) / whole, twistMode: Int(turn.mode), position: Double(turn.position) / whole)
    }

    init(_ turn: PushTwist) {
        self.init(buttonNumber: Int(turn.button.rawValue), turns: Double(turn.angle) / 65_536, isFirst: turn.isFirst, isLong: turn.isLong)
    }
}
