/// How long a link is kept without activity, as a button has it: whole seconds from 40 to 510, or 511 for ever (protocol 9.6).
struct AutoDisconnectTime: Hashable, Sendable {
    let seconds: UInt16

    /// - Parameter time: Nil for ever; anything else is taken as the nearest time that is possible, fractions of a second being cut off.
    init(_ time: Duration?) {
        seconds = time.map { UInt16(min(max($0, .seconds(40)), .seconds(510)).components.seconds) } ?? 511
    }

    /// - Parameter stored: ``seconds``; anything else is taken as the nearest possible value.
    init(stored: Int) {
        seconds = UInt16(min(max(stored, 40), 511))
    }

    /// Nil for ever.
    var duration: Duration? { seconds == 511 ? nil : .seconds(Int(seconds)) }
}
