import FlicProtocol

/// How a button advertises after it has lost its link, so that it comes back without being pressed (protocol 9.5).
///
/// Quick advertising brings it back sooner, at the price of its battery. Buttons with firmware before 6 are silent until pressed,
/// whatever is set, and so is every button whose link was ended on purpose.
public struct ReadvertisingMode: Hashable, Sendable {
    let settings: SessionSettings.Advertising

    init(_ settings: SessionSettings.Advertising) {
        self.settings = settings
    }

    /// Every 100 ms for five seconds, then every 8 s, for a day: spares the battery. What the vendor's C library sets.
    public static let sparing = ReadvertisingMode(.sparing)
    /// Every 40 ms for five seconds, then every 1022.5 ms, for a day: back within about a second. What the vendor's Android library sets.
    public static let eager = ReadvertisingMode(.eager)
    /// Silent until pressed.
    public static let off = ReadvertisingMode(.off)

    /// Times of one's own; each is taken as the nearest one that is possible.
    ///
    /// - Parameters:
    ///   - first: Time between two advertisements in the first five seconds: 20 ms to 10.24 s, in steps of 0.625 ms.
    ///   - later: The same afterwards.
    ///   - duration: After how long it gives up: 1 to 4,294,967,295 s, in whole seconds.
    public static func custom(first: Duration, later: Duration, duration: Duration) -> ReadvertisingMode {
        ReadvertisingMode(
            SessionSettings.Advertising(
                firstInterval: units(first),
                laterInterval: units(later),
                duration: UInt32(min(max(duration, .seconds(1)), .seconds(UInt32.max)).components.seconds)
            )
        )
    }

    /// Of the intervals on the wire.
    static let unit = Duration.microseconds(625)

    private static func units(_ interval: Duration) -> UInt16 {
        UInt16((min(max(interval, unit * 32), unit * 16_384) / unit).rounded())
    }

    /// Whether the button advertises at all.
    public var isActive: Bool { settings.isActive }

    /// Time between two advertisements in the first five seconds.
    public var firstInterval: Duration { Self.unit * Int(settings.firstInterval) }

    /// Time between two advertisements afterwards.
    public var laterInterval: Duration { Self.unit * Int(settings.laterInterval) }

    /// After how long the button gives up.
    public var duration: Duration { .seconds(Int64(settings.duration)) }
}
