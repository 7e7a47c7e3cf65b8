// A program in the manner of flic2lib 1.5: every property of an event, every filter, and switches over all enumerations. It is compiled in
// Swift 5 and in Swift 6 mode, without a warning; what the events say is tested elsewhere.

import FlicKit

final class EventScreen: NSObject, FLICManagerDelegate, FLICButtonDelegate {
    private(set) var lines: [String] = []

    func managerDidRestoreState(_ manager: FLICManager) {}
    func manager(_ manager: FLICManager, didUpdate state: FLICManagerState) { print("state \(state.rawValue)") }
    func buttonDidConnect(_ button: FLICButton) {}
    func buttonIsReady(_ button: FLICButton) {}
    func button(_ button: FLICButton, didDisconnectWithError error: Error?) {}
    func button(_ button: FLICButton, didFailToConnectWithError error: Error?) {}

    func button(_ button: FLICButton, didReceive event: FLICButtonEvent) {
        event.isButtonDown { number in lines.append("down \(number)") }
        event.isButtonUp { number in lines.append("up \(number)") }
        event.isButtonUpOrDown { type, number in lines.append("\(Self.name(of: type)) \(number)") }
        event.isGesture { gesture, number in
            lines.append("\(Self.name(of: gesture)) \(number)")
        }
        event.isClickOrHold { type, number in lines.append("\(Self.name(of: type)) \(number)") }
        event.isSingleOrDoubleClick { (type: FLICButtonEventType, number: UInt8) in lines.append("\(Self.name(of: type)) \(number)") }
        event.isSingleOrDoubleClickOrHold { lines.append("\(Self.name(of: $0)) \($1)") }

        let count: UInt32 = event.eventCount
        let number: UInt8 = event.buttonNumber
        let age: Double = event.wasQueued ? event.age : 0
        let acceleration: [Float] = [event.x, event.y, event.z]
        if event.downAtLeastHalfASecond, event.gesture == .noGesture, event.gesture.rawValue == -1 {
            lines.append("\(count) \(number) \(age) \(acceleration)")
        }
        switch event.eventClass {
        case .upOrDown, .clickOrHold, .singleOrDoubleClick, .singleOrDoubleClickOrHold: break
        @unknown default: lines.append("class \(event.eventClass.rawValue)")
        }
    }

    private static func name(of type: FLICButtonEventType) -> String {
        switch type {
        case .up: return "up"
        case .down: return "down"
        case .click: return "click"
        case .singleClick: return "single click"
        case .doubleClick: return "double click"
        case .hold: return "hold"
        @unknown default: return "\(type.rawValue)"
        }
    }

    private static func name(of gesture: FLICButtonEventGesture) -> String {
        switch gesture {
        case .noGesture: return "none"
        case .unrecognizedGesture: return "unrecognized"
        case .left: return "left"
        case .right: return "right"
        case .up: return "up"
        case .down: return "down"
        @unknown default: return "\(gesture.rawValue)"
        }
    }
}

@main
enum EventApp {
    @MainActor static let screen = EventScreen()

    @MainActor static func main() {
        FLICManager.configure(with: screen, buttonDelegate: screen, background: true)
        print("configured shared=\(FLICManager.shared() != nil)")
        while let line = readLine(), line != "quit" { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1)) }
        for line in screen.lines { print(line) }
    }
}
