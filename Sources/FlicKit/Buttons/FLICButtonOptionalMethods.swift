/// The optional methods of a ``FLICButtonDelegate``, for programs that relay calls with a question mark (contract A7):
///
/// ```swift
/// other?.button?(button, didReceiveButtonDown: queued, age: age)
/// ```
public struct FLICButtonOptionalMethods {
    fileprivate let delegate: any FLICButtonDelegate

    /// Relays ``FLICButtonDelegate/button(_:didReceiveButtonDown:age:)``.
    public func callAsFunction(_ button: FLICButton, didReceiveButtonDown queued: Bool, age: Int) {
        delegate.button(button, didReceiveButtonDown: queued, age: age)
    }

    /// Relays ``FLICButtonDelegate/button(_:didReceiveButtonUp:age:)``.
    public func callAsFunction(_ button: FLICButton, didReceiveButtonUp queued: Bool, age: Int) {
        delegate.button(button, didReceiveButtonUp: queued, age: age)
    }

    /// Relays ``FLICButtonDelegate/button(_:didReceiveButtonClick:age:)``.
    public func callAsFunction(_ button: FLICButton, didReceiveButtonClick queued: Bool, age: Int) {
        delegate.button(button, didReceiveButtonClick: queued, age: age)
    }

    /// Relays ``FLICButtonDelegate/button(_:didReceiveButtonDoubleClick:age:)``.
    public func callAsFunction(_ button: FLICButton, didReceiveButtonDoubleClick queued: Bool, age: Int) {
        delegate.button(button, didReceiveButtonDoubleClick: queued, age: age)
    }

    /// Relays ``FLICButtonDelegate/button(_:didReceiveButtonHold:age:)``.
    public func callAsFunction(_ button: FLICButton, didReceiveButtonHold queued: Bool, age: Int) {
        delegate.button(button, didReceiveButtonHold: queued, age: age)
    }

    /// Relays ``FLICButtonDelegate/button(_:didReceive:)``.
    public func callAsFunction(_ button: FLICButton, didReceive event: FLICButtonEvent) {
        delegate.button(button, didReceive: event)
    }

    /// Relays ``FLICButtonDelegate/button(_:didUnpairWithError:)``.
    public func callAsFunction(_ button: FLICButton, didUnpairWithError error: (any Error)?) {
        delegate.button(button, didUnpairWithError: error)
    }

    /// Relays ``FLICButtonDelegate/button(_:didUpdateBatteryVoltage:)``.
    public func callAsFunction(_ button: FLICButton, didUpdateBatteryVoltage voltage: Float) {
        delegate.button(button, didUpdateBatteryVoltage: voltage)
    }

    /// Relays ``FLICButtonDelegate/button(_:didUpdateNickname:)``.
    public func callAsFunction(_ button: FLICButton, didUpdateNickname nickname: String) {
        delegate.button(button, didUpdateNickname: nickname)
    }
}

extension FLICButtonDelegate {
    /// The optional methods. Never nil, also where a method is not implemented: then calling it does nothing.
    public var button: FLICButtonOptionalMethods? { FLICButtonOptionalMethods(delegate: self) }
}
