import FlicKit

// Plug-ins put themselves between the library and a delegate of the program, and pass on what is optional with a question mark (contract A7).

/// Passes everything on. Its stored property has the name of the optional methods, as in real programs.
final class RelayingDelegate: NSObject, FLICButtonDelegate {
    weak var other: (any FLICButtonDelegate)?
    var button: FLICButton?

    func buttonDidConnect(_ button: FLICButton) { other?.buttonDidConnect(button) }
    func buttonIsReady(_ button: FLICButton) { other?.buttonIsReady(button) }

    func button(_ button: FLICButton, didDisconnectWithError error: (any Error)?) {
        self.button = button
        other?.button(button, didDisconnectWithError: error)
    }

    func button(_ button: FLICButton, didFailToConnectWithError error: (any Error)?) { other?.button(button, didFailToConnectWithError: error) }

    func button(_ button: FLICButton, didReceiveButtonDown queued: Bool, age: NSInteger) {
        other?.button?(button, didReceiveButtonDown: queued, age: age)
    }

    func button(_ button: FLICButton, didReceiveButtonUp queued: Bool, age: NSInteger) {
        other?.button?(button, didReceiveButtonUp: queued, age: age)
    }

    func button(_ button: FLICButton, didReceiveButtonClick queued: Bool, age: NSInteger) {
        other?.button?(button, didReceiveButtonClick: queued, age: age)
    }

    func button(_ button: FLICButton, didReceiveButtonDoubleClick queued: Bool, age: NSInteger) {
        other?.button?(button, didReceiveButtonDoubleClick: queued, age: age)
    }

    func button(_ button: FLICButton, didReceiveButtonHold queued: Bool, age: NSInteger) {
        other?.button?(button, didReceiveButtonHold: queued, age: age)
    }

    func button(_ button: FLICButton, didUnpairWithError error: (any Error)?) { other?.button?(button, didUnpairWithError: error) }

    func button(_ button: FLICButton, didUpdateBatteryVoltage voltage: Float) {
        other?.button?(button, didUpdateBatteryVoltage: voltage)
    }

    func button(_ button: FLICButton, didUpdateNickname nickname: String) { other?.button?(button, didUpdateNickname: nickname) }
}

/// Implements what has to be implemented, and one optional method, which a subclass may override (contract A6, A8).
class ClickCounter: NSObject, FLICButtonDelegate {
    private(set) var clicks = 0

    func buttonDidConnect(_ button: FLICButton) {}
    func buttonIsReady(_ button: FLICButton) {}
    func button(_ button: FLICButton, didDisconnectWithError error: (any Error)?) {}
    func button(_ button: FLICButton, didFailToConnectWithError error: (any Error)?) {}
    func button(_ button: FLICButton, didReceiveButtonClick queued: Bool, age: NSInteger) { clicks += 1 }
}

/// Counts twice.
final class DoubleCounter: ClickCounter {
    override func button(_ button: FLICButton, didReceiveButtonClick queued: Bool, age: NSInteger) {
        for _ in 0..<2 { super.button(button, didReceiveButtonClick: queued, age: age) }
    }
}
