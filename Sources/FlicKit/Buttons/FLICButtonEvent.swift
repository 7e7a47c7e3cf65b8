import ClickClassifier
import FlicClient
public import Foundation

/// The ways to look at what is done with a button (flic2lib 1.5). Every interaction brings events of several classes; a program listens to one.
@nonexhaustive
public enum FLICButtonEventClass: UInt8, Sendable {
    /// Each edge, as it happens: ``FLICButtonEventType/up`` or ``FLICButtonEventType/down``.
    case upOrDown
    /// ``FLICButtonEventType/click`` at the release, or ``FLICButtonEventType/hold`` after a second.
    case clickOrHold
    /// ``FLICButtonEventType/singleClick`` or ``FLICButtonEventType/doubleClick``. A single click waits for half a second after the press.
    case singleOrDoubleClick
    /// The same, or ``FLICButtonEventType/hold``.
    case singleOrDoubleClickOrHold
}

/// What was done with a button, within the class of the event (flic2lib 1.5).
@nonexhaustive
public enum FLICButtonEventType: UInt8, Sendable {
    /// Released.
    case up
    /// Pressed.
    case down
    /// Clicked, perhaps the first time of two.
    case click
    /// Clicked once.
    case singleClick
    /// Clicked twice.
    case doubleClick
    /// Held down for a second.
    case hold
}

/// How the hand moved while a button of a Flic Duo was down (flic2lib 1.5).
@nonexhaustive
public enum FLICButtonEventGesture: Int8, Sendable {
    /// It did not.
    case noGesture = -1
    /// It did, but not in any of these ways.
    case unrecognizedGesture = 0
    /// To the left.
    case left = 1
    /// To the right.
    case right = 2
    /// Upwards.
    case up = 3
    /// Downwards.
    case down = 4
}

/// Something that was done with a button of a Flic 2 or Flic Duo (flic2lib 1.5).
///
/// ```swift
/// func button(_ button: FLICButton, didReceive event: FLICButtonEvent) {
///     event.isSingleOrDoubleClickOrHold { type, buttonNumber in … }
///     event.isGesture { gesture, buttonNumber in … }
/// }
/// ```
///
/// A swipe is told once: as the gesture of an event of the class ``FLICButtonEventClass/upOrDown``, and not as a click of any class. It is
/// immutable, and may be used on any thread.
public final class FLICButtonEvent: NSObject, Sendable {
    /// Which way of looking at it this event belongs to.
    public let eventClass: FLICButtonEventClass
    /// What was done.
    public let type: FLICButtonEventType
    /// The button's counter: 0 when it boots, up to four more with each press. Modulo 4, 1 is a down, 2 a hold, 3 an up and 0 the end of the
    /// time for a second click.
    public let eventCount: UInt32
    /// Which button of a Flic Duo: 0 is the big one, 1 the small one. 0 for a Flic 2.
    public let buttonNumber: UInt8
    /// It happened before the button was ready in this connection.
    public let wasQueued: Bool
    /// How many seconds before; 0 if it was not queued.
    public let age: Double
    /// Acceleration along the x axis, in multiples of that of free fall; 0 for a Flic 2, which has no sensor.
    public let x: Float
    /// The same along the y axis.
    public let y: Float
    /// The same along the z axis.
    public let z: Float
    /// How the hand moved; known from the release on.
    public let gesture: FLICButtonEventGesture
    /// The button had been down for half a second or more.
    public let downAtLeastHalfASecond: Bool

    /// Nil for what is no event of its own: a swipe, which its up tells.
    init?(_ told: PressInMode) {
        let press = told.press
        guard let type = FLICButtonEventType(press.kind, in: told.mode), let eventClass = FLICButtonEventClass(told.mode) else { return nil }
        self.eventClass = eventClass
        self.type = type
        eventCount = press.eventCount
        buttonNumber = UInt8(clamping: press.buttonNumber)
        wasQueued = press.isQueued
        age = press.exactAge
        x = Float(press.acceleration?.x ?? 0)
        y = Float(press.acceleration?.y ?? 0)
        z = Float(press.acceleration?.z ?? 0)
        gesture = FLICButtonEventGesture(press.gesture)
        downAtLeastHalfASecond = told.isLong
        super.init()
    }

    // MARK: Filters

    /// Calls the closure, before it returns, if a button was pressed.
    public func isButtonDown(_ handler: (_ buttonNumber: UInt8) -> Void) {
        if type == .down { handler(buttonNumber) }
    }

    /// Calls the closure, before it returns, if a button was released.
    public func isButtonUp(_ handler: (_ buttonNumber: UInt8) -> Void) {
        if type == .up { handler(buttonNumber) }
    }

    /// Calls the closure, before it returns, if a button was pressed or released.
    public func isButtonUpOrDown(_ handler: (_ type: FLICButtonEventType, _ buttonNumber: UInt8) -> Void) {
        if eventClass == .upOrDown { handler(type, buttonNumber) }
    }

    /// Calls the closure, before it returns, if a button was released after a swipe in one of the four directions.
    public func isGesture(_ handler: (_ gesture: FLICButtonEventGesture, _ buttonNumber: UInt8) -> Void) {
        guard type == .up, gesture.isSwipe else { return }
        handler(gesture, buttonNumber)
    }

    /// Calls the closure, before it returns, if it was a click or a hold. Double clicks are two clicks, and none has to wait.
    public func isClickOrHold(_ handler: (_ type: FLICButtonEventType, _ buttonNumber: UInt8) -> Void) {
        if eventClass == .clickOrHold { handler(type, buttonNumber) }
    }

    /// Calls the closure, before it returns, if it was a single or a double click.
    public func isSingleOrDoubleClick(_ handler: (_ type: FLICButtonEventType, _ buttonNumber: UInt8) -> Void) {
        if eventClass == .singleOrDoubleClick { handler(type, buttonNumber) }
    }

    /// Calls the closure, before it returns, if it was a single click, a double click or a hold.
    public func isSingleOrDoubleClickOrHold(_ handler: (_ type: FLICButtonEventType, _ buttonNumber: UInt8) -> Void) {
        if eventClass == .singleOrDoubleClickOrHold { handler(type, buttonNumber) }
    }
}

extension FLICButtonEventClass {
    /// Nil for a mode that has no class of its own: `click` is a down.
    init?(_ mode: TriggerMode?) {
        switch mode {
        case nil: self = .upOrDown
        case .clickAndHold: self = .clickOrHold
        case .clickAndDoubleClick: self = .singleOrDoubleClick
        case .clickAndDoubleClickAndHold: self = .singleOrDoubleClickOrHold
        case .click: return nil
        }
    }
}

extension FLICButtonEventType {
    init?(_ kind: PressEvent.Kind, in mode: TriggerMode?) {
        switch kind {
        case .down: self = .down
        case .up: self = .up
        case .click: self = mode == .clickAndHold ? .click : .singleClick
        case .doubleClick: self = .doubleClick
        case .hold: self = .hold
        case .tripleClick, .swipeLeft, .swipeRight, .swipeUp, .swipeDown: return nil
        }
    }
}

extension FLICButtonEventGesture {
    init(_ gesture: PressEvent.Gesture?) {
        switch gesture {
        case nil: self = .noGesture
        case .unrecognized: self = .unrecognizedGesture
        case .left: self = .left
        case .right: self = .right
        case .up: self = .up
        case .down: self = .down
        }
    }

    fileprivate var isSwipe: Bool {
        switch self {
        case .left, .right, .up, .down: true
        case .noGesture, .unrecognizedGesture: false
        }
    }
}
