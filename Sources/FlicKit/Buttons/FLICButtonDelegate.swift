/// Hears of a button. All calls come on the main queue, one after the other; the button's properties are those of that moment.
///
/// The first four methods have to be there; the others may be left out. A subclass that adds an optional method to a conforming class is not
/// asked: let the base class implement it, even empty, and override it.
@preconcurrency
public protocol FLICButtonDelegate: NSObjectProtocol {
    /// A Bluetooth connection was made. The button is not ready yet.
    func buttonDidConnect(_ button: FLICButton)

    /// The button has been verified. No press comes before this.
    func buttonIsReady(_ button: FLICButton)

    /// A connection has ended. After a loss it is already pending again.
    ///
    /// - Parameters:
    ///   - button: Whose event it is.
    ///   - error: nil after ``FLICButton/disconnect()``; else an `NSError` of the domain `CBErrorDomain`, code 6 (the button went out
    ///     of range, or Bluetooth away) or 7 (the connection was ended elsewhere).
    func button(_ button: FLICButton, didDisconnectWithError error: (any Error)?)

    /// Connecting failed for good: no connection is pending any more.
    ///
    /// - Parameters:
    ///   - button: Whose event it is.
    ///   - error: An `NSError` of ``FLICErrorDomain``.
    func button(_ button: FLICButton, didFailToConnectWithError error: (any Error)?)

    /// The button was pressed. Optional; told in every trigger mode.
    ///
    /// - Parameters:
    ///   - button: Whose event it is.
    ///   - queued: It happened before the button was ready in this connection.
    ///   - age: How many seconds before, to the nearest; 0 if not queued.
    func button(_ button: FLICButton, didReceiveButtonDown queued: Bool, age: Int)

    /// The button was released. Optional; told in every trigger mode.
    ///
    /// - Parameters:
    ///   - button: Whose event it is.
    ///   - queued: It happened before the button was ready in this connection.
    ///   - age: How many seconds before, to the nearest; 0 if not queued.
    func button(_ button: FLICButton, didReceiveButtonUp queued: Bool, age: Int)

    /// The button was clicked. Optional; see ``FLICButtonTriggerMode`` for what is a click.
    ///
    /// - Parameters:
    ///   - button: Whose event it is.
    ///   - queued: It happened before the button was ready in this connection.
    ///   - age: How many seconds before, to the nearest; 0 if not queued.
    func button(_ button: FLICButton, didReceiveButtonClick queued: Bool, age: Int)

    /// The button was double-clicked. Optional.
    ///
    /// - Parameters:
    ///   - button: Whose event it is.
    ///   - queued: It happened before the button was ready in this connection.
    ///   - age: How many seconds before, to the nearest; 0 if not queued.
    func button(_ button: FLICButton, didReceiveButtonDoubleClick queued: Bool, age: Int)

    /// The button has been held for a second. Optional.
    ///
    /// - Parameters:
    ///   - button: Whose event it is.
    ///   - queued: It happened before the button was ready in this connection.
    ///   - age: How many seconds before, to the nearest; 0 if not queued.
    func button(_ button: FLICButton, didReceiveButtonHold queued: Bool, age: Int)

    /// Something was done with a button of the device (flic2lib 1.5). Optional; told in every trigger mode and for every ``FLICButtonEventClass``,
    /// of a Flic 2 as well.
    func button(_ button: FLICButton, didReceive event: FLICButtonEvent)

    /// The pairing was found void; ``FLICButton/isUnpaired`` is true now. Optional.
    ///
    /// - Parameters:
    ///   - button: Whose event it is.
    ///   - error: Always nil.
    func button(_ button: FLICButton, didUnpairWithError error: (any Error)?)

    /// A battery sample came. Optional.
    ///
    /// - Parameters:
    ///   - button: Whose event it is.
    ///   - voltage: In volts.
    func button(_ button: FLICButton, didUpdateBatteryVoltage voltage: Float)

    /// Another app has renamed the button. Optional; not called for this program's own changes.
    func button(_ button: FLICButton, didUpdateNickname nickname: String)
}

/// Optional methods that are not implemented do nothing (contract A6).
extension FLICButtonDelegate {
    /// Does nothing.
    public func button(_ button: FLICButton, didReceiveButtonDown queued: Bool, age: Int) {}

    /// Does nothing.
    public func button(_ button: FLICButton, didReceiveButtonUp queued: Bool, age: Int) {}

    /// Does nothing.
    public func button(_ button: FLICButton, didReceiveButtonClick queued: Bool, age: Int) {}

    /// Does nothing.
    public func button(_ button: FLICButton, didReceiveButtonDoubleClick queued: Bool, age: Int) {}

    /// Does nothing.
    public func button(_ button: FLICButton, didReceiveButtonHold queued: Bool, age: Int) {}

    /// Does nothing.
    public func button(_ button: FLICButton, didReceive event: FLICButtonEvent) {}

    /// Does nothing.
    public func button(_ button: FLICButton, didUnpairWithError error: (any Error)?) {}

    /// Does nothing.
    public func button(_ button: FLICButton, didUpdateBatteryVoltage voltage: Float) {}

    /// Does nothing.
    public func button(_ button: FLICButton, didUpdateNickname nickname: String) {}
}
