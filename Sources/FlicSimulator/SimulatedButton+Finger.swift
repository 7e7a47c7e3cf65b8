public import FlicClient
import FlicProtocol

/// What a finger can do. A Flic Duo has a button 0, the big one, and a button 1; others have but button 0.
/// Those that take time wait on the loop's clock, and end early, with the button released, when the task is cancelled.
extension SimulatedButton {
    /// Pushes the button down. Without effect if it is down.
    public func press(button number: Int = 0) {
        guard let button = Self.button(number) else { return }
        input { $0.press(button, at: $1) }
    }

    /// Lets the button go. Without effect if it is not down.
    ///
    /// - Parameters:
    ///   - number: Of a Flic Duo, 0 for the big button and 1 for the small one; others do nothing.
    ///   - gesture: How the hand has moved meanwhile; only a Flic Duo feels it.
    public func release(button number: Int = 0, gesture: PressEvent.Gesture? = nil) {
        guard let button = Self.button(number) else { return }
        input { $0.release(button, gesture: gesture.map { DuoEvent.Gesture($0) }, at: $1) }
    }

    private static func button(_ number: Int) -> DuoButton? { UInt8(exactly: number).flatMap { DuoButton(rawValue: $0) } }

    /// Holds the button down for a while.
    public func press(button number: Int = 0, for time: Duration) async {
        press(button: number)
        await loop.pause(for: time)
        release(button: number)
    }

    /// A press of a fifth of a second during which the hand moves. A Flic 2 takes it for a click.
    public func swipe(_ gesture: PressEvent.Gesture, button number: Int = 0) async {
        press(button: number)
        await loop.pause(for: .milliseconds(200))
        release(button: number, gesture: gesture)
    }

    /// Turns a Flic Twist, or a Flic Duo while at least one of its buttons is held down; without effect on others, and while none is.
    ///
    /// - Parameter turns: Whole turns, up to 32,767 in either direction, or 170 of a Twist; others are taken as the nearest.
    public func turn(by turns: Double) {
        let isTwist = identity.product == .twist
        let angle = Int32((min(max(turns.isNaN ? 0 : turns, -32_767), 32_767) * (isTwist ? Double(Twist.turn) : 65_536)).rounded())
        input { isTwist ? $0.twist(by: angle, at: $1) : $0.turn(by: angle, at: $1) }
    }

    /// Selects a mode of a Flic Twist, 0 to 12; without effect on others.
    public func selectMode(_ mode: Int) {
        guard let mode = UInt8(exactly: mode) else { return }
        input { $0.selectTwistMode(mode, at: $1) }
    }

    /// A click of a tenth of a second. The button takes another 0.4 s to decide that it was a single one.
    public func click(button number: Int = 0) async {
        await press(button: number, for: .milliseconds(100))
    }

    /// Two clicks of a tenth of a second each, a quarter of a second apart.
    public func doubleClick(button number: Int = 0) async {
        await click(button: number)
        await loop.pause(for: .milliseconds(150))
        await click(button: number)
    }

    /// Holds the button for one and a half seconds.
    public func hold(button number: Int = 0) async {
        await press(button: number, for: .milliseconds(1500))
    }

    /// Holds the button for seven seconds, which makes it public.
    public func holdToPair() async {
        await press(for: .seconds(7))
    }

    /// Public mode at once, without a press.
    public func enterPublicMode() {
        input { $0.enterPublicMode(at: $1) }
    }
}

extension DuoEvent.Gesture {
    fileprivate init(_ gesture: PressEvent.Gesture) {
        self =
            switch gesture {
            case .left: .left
            case .right: .right
            case .up: .up
            case .down: .down
            case .unrecognized: .unrecognized
            }
    }
}
