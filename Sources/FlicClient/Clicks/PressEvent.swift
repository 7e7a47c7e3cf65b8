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
    }

    /// What was done.
    public let kind: Kind
    /// Whether it happened before the button was ready in this connection.
    public let isQueued: Bool
    /// Seconds between the event and the moment the button became ready, to the nearest, halves away from zero; 0 if it was not queued
    /// (contract B.6.6).
    public let age: Int
    /// The button's clock at the event, in ticks of 1/32,768 s since it booted.
    public let timestamp: UInt64
    /// The button's counter at the event: it grows by up to four with each press and starts over when the button boots (protocol 7.3).
    public let eventCount: UInt32

    /// Makes an event.
    public init(kind: Kind, isQueued: Bool = false, age: Int = 0, timestamp: UInt64 = 0, eventCount: UInt32 = 0) {
        self.kind = kind
        self.isQueued = isQueued
        self.age = age
        self.timestamp = timestamp
        self.eventCount = eventCount
    }
}
