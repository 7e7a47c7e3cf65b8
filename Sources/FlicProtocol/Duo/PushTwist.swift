/// How a button of a Flic Duo was turned while it was held down (protocol 13.4).
package struct PushTwist: Hashable, Sendable {
    /// Which button is held. If both are, the big one.
    package var button: DuoButton
    /// Since the report before; which way is positive is not documented. 65,536 are a whole turn, as one of the official clients has it (the
    /// other says 49,152).
    package var angle: Int32
    /// The first report of this press.
    package var isFirst: Bool
    /// The button has been held for half a second or more.
    package var isLong: Bool

    package init(button: DuoButton, angle: Int32, isFirst: Bool, isLong: Bool) {
        self.button = button
        self.angle = angle
        self.isFirst = isFirst
        self.isLong = isLong
    }

    /// Nil if no button is held: then nothing is turned either.
    init?(_ notification: PushTwistDataNotification) {
        if notification.bigIsPressed {
            self.init(button: .big, angle: notification.angle, isFirst: notification.bigIsFirst, isLong: notification.bigIsHeld)
        } else if notification.smallIsPressed {
            self.init(button: .small, angle: notification.angle, isFirst: notification.smallIsFirst, isLong: notification.smallIsHeld)
        } else {
            return nil
        }
    }
}
