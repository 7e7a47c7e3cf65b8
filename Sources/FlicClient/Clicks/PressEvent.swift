/// Something that was done with a button.
public struct PressEvent: Hashable, Sendable {
    /// What was done.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Pressed. Told in every mode.
        case down
        /// Released. Told in every mode.
        case up
        /// A click, by the button's trigger mode.
        case click
        /// Two clicks in quick succession.
        case doubleClick
        /// Three clicks in quick succession; only with rules that ask for them.
        case tripleClick
        /// Held down.
        case hold
        /// Moved to the left while pressed: only of a Flic Duo. Told at the release, in every mode, and not also as a click, except in mode
        /// `click`, which tells every press at once.
        case swipeLeft
        /// The same, to the right.
        case swipeRight
        /// The same, upwards.
        case swipeUp
        /// The same, downwards.
        case swipeDown
    }

    /// How the hand moved while a button was down.
    public enum Gesture: String, Hashable, Sendable, CaseIterable {
        /// To the left.
        case left
        /// To the right.
        case right
        /// Upwards.
        case up
        /// Downwards.
        case down
        /// In none of these ways.
        case unrecognized
    }

    /// In multiples of the acceleration of free fall: at rest, the three together are 1.
    public struct Acceleration: Hashable, Sendable {
        /// Along the device's axis of that name.
        public let x: Double
        /// Along the device's axis of that name.
        public let y: Double
        /// Along the device's axis of that name.
        public let z: Double

        /// Makes one.
        public init(x: Double, y: Double, z: Double) {
            self.x = x
            self.y = y
            self.z = z
        }
    }

    /// What was done.
    public let kind: Kind
    /// Whether it happened before the button was ready in this connection.
    public let isQueued: Bool
    /// Seconds between the event and the moment the button became ready, to the nearest, halves away from zero; 0 if it was not queued
    /// (contract B.6.6).
    public let age: Int
    /// The same, to the tick of the button's clock.
    public let exactAge: Double
    /// The button's clock at the event, in ticks of 1/32,768 s since it booted.
    public let timestamp: UInt64
    /// The button's counter at the event: it grows by up to four with each press and starts over when the button boots (protocol 7.3). Each button
    /// of a Flic Duo has its own.
    public let eventCount: UInt32
    /// Which button of a Flic Duo: 0 is the big one, 1 the small one. 0 for all others.
    public let buttonNumber: Int
    /// How the hand moved during the press, known from the up on; nil if it did not. Only a Flic Duo feels it.
    public let gesture: Gesture?
    /// At the moment of the event; nil for devices that do not measure it. Only a Flic Duo does.
    public let acceleration: Acceleration?
    /// In which mode of a Flic Twist it happened, as in ``TwistConfiguration``; nil for others.
    public let twistMode: Int?

    /// Makes an event.
    public init(
        kind: Kind,
        isQueued: Bool = false,
        age: Int = 0,
        exactAge: Double? = nil,
        timestamp: UInt64 = 0,
        eventCount: UInt32 = 0,
        buttonNumber: Int = 0,
        gesture: Gesture? = nil,
        acceleration: Acceleration? = nil,
        twistMode: Int? = nil
    ) {
        self.kind = kind
        self.isQueued = isQueued
        self.age = age
        self.exactAge = exactAge ?? Double(age)
        self.timestamp = timestamp
        self.eventCount = eventCount
        self.buttonNumber = buttonNumber
        self.gesture = gesture
        self.acceleration = acceleration
        self.twistMode = twistMode
    }
}
