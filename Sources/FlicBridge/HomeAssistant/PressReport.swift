import FlicClient
import FoundationEssentials

/// Something that was done with a button, as an event entity takes it. Names of members become snake case.
struct PressReport: Encodable, Equatable {
    /// A lateness that is worth being told.
    private static let late = Duration.seconds(1)

    let eventType: String
    /// Whether it comes late: from before the button was ready, or because there was no broker.
    let queued: Bool
    /// Seconds since it was done.
    let age: Int
    /// The button's event counter: the same if a message comes twice.
    let eventCount: UInt32
    /// When it was done: UTC, ISO 8601.
    let timestamp: String

    /// - Parameters:
    ///   - date: When it was told.
    ///   - waited: How long it has waited since.
    init(_ gesture: Gesture, _ press: PressEvent, date: Date, waited: Duration) {
        eventType = gesture.rawValue
        queued = press.isQueued || waited >= Self.late
        age = press.age + Int((waited / .seconds(1)).rounded())
        eventCount = press.eventCount
        timestamp = Self.date(of: press, told: date).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// When something was done.
    static func date(of press: PressEvent, told date: Date) -> Date { date.addingTimeInterval(-Double(press.age)) }
}
