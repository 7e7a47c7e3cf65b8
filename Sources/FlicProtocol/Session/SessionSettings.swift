/// What a client asks for in a session.
package struct SessionSettings: Hashable, Sendable {
    /// Limits of the queue, and when the button may close an idle link (protocol 7.3, 9.6).
    package struct Queue: Hashable, Codable, Sendable {
        /// Number of queued events: 0 none, 31 no limit.
        package var maximumCount: UInt8
        /// Age in seconds; 0xFFFFF no limit.
        package var maximumAge: UInt32

        package init(maximumCount: UInt8, maximumAge: UInt32 = 0xFFFFF) {
            self.maximumCount = maximumCount
            self.maximumAge = maximumAge
        }

        /// Nothing: what was pressed before a pairing is nobody's business.
        package static let none = Queue(maximumCount: 0)
        /// Everything that the button has kept.
        package static let all = Queue(maximumCount: 31)
    }

    /// Parameters that the button requests from the host (protocol 9.5).
    package struct ConnectionParameters: Hashable, Codable, Sendable {
        /// Unit 1.25 ms.
        package var minimumInterval: UInt16
        /// Unit 1.25 ms.
        package var maximumInterval: UInt16
        /// Connection events that the button may skip; does not delay presses.
        package var latency: UInt16
        /// Supervision timeout, unit 10 ms.
        package var timeout: UInt16

        package init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, timeout: UInt16) {
            self.minimumInterval = minimumInterval
            self.maximumInterval = maximumInterval
            self.latency = latency
            self.timeout = timeout
        }

        /// 100 to 112.5 ms: what the official clients ask for.
        package static let normal = ConnectionParameters(minimumInterval: 80, maximumInterval: 90, latency: 17, timeout: 800)
        /// 15 to 17.5 ms, no event skipped (contract B52): clicks arrive typically within 30 ms, at the price of the battery.
        package static let low = ConnectionParameters(minimumInterval: 12, maximumInterval: 14, latency: 0, timeout: 800)
    }

    /// How the button advertises after a lost link (protocol 9.5).
    package struct Advertising: Hashable, Codable, Sendable {
        /// Whether it advertises at all.
        package var isActive: Bool
        /// Unit 0.625 ms, during the first five seconds.
        package var firstInterval: UInt16
        /// Unit 0.625 ms, afterwards.
        package var laterInterval: UInt16
        /// How long, in seconds.
        package var duration: UInt32

        package init(isActive: Bool = true, firstInterval: UInt16, laterInterval: UInt16, duration: UInt32) {
            self.isActive = isActive
            self.firstInterval = firstInterval
            self.laterInterval = laterInterval
            self.duration = duration
        }

        /// 100 ms, then 8 s, for a day: spares the battery.
        package static let sparing = Advertising(firstInterval: 160, laterInterval: 12_800, duration: 86_400)
        /// 40 ms, then about 1 s, for a day: back soon.
        package static let eager = Advertising(firstInterval: 64, laterInterval: 1_636, duration: 86_400)
        /// Silent until pressed. The intervals mean nothing.
        package static let off = Advertising(isActive: false, firstInterval: 160, laterInterval: 12_800, duration: 86_400)
    }

    package var queueAfterPairing = Queue.none
    package var queueAfterReconnect = Queue.all
    /// Seconds without activity after which the button closes the link: 40 to 510, or 511 for never.
    package var autoDisconnectTime: UInt16 = 511
    package var connectionParameters = ConnectionParameters.normal
    package var advertising = Advertising.sparing
    /// Buttons of a Flic Duo that report how they are turned while they are held down (protocol 13.4).
    package var pushTwist: DuoButtons = []
    /// How a Flic Twist behaves in its modes, and where it stands in each when the session begins.
    package var twist = Twist.Configuration.standard
    /// How long a verification may take.
    package var verificationTimeout = Duration.seconds(31)
    /// How long the button may take for an answer in a session.
    package var requestTimeout = Duration.seconds(10)
    /// Time between two questions for the battery level.
    package var batteryInterval = Duration.seconds(3 * 3600)

    package init() {}
}
