/// What a finger can do. Those that take time wait on the loop's clock, and end early, with the button released, when the task is cancelled.
extension SimulatedButton {
    /// Pushes the button down. Without effect if it is down.
    public func press() {
        input { $0.press(at: $1) }
    }

    /// Lets the button go. Without effect if it is not down.
    public func release() {
        input { $0.release(at: $1) }
    }

    /// Holds the button down for a while.
    public func press(for time: Duration) async {
        press()
        await loop.pause(for: time)
        release()
    }

    /// A click of a tenth of a second. The button takes another 0.4 s to decide that it was a single one.
    public func click() async {
        await press(for: .milliseconds(100))
    }

    /// Two clicks of a tenth of a second each, a quarter of a second apart.
    public func doubleClick() async {
        await click()
        await loop.pause(for: .milliseconds(150))
        await click()
    }

    /// Holds the button for one and a half seconds.
    public func hold() async {
        await press(for: .milliseconds(1500))
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
