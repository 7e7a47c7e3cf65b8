/// Properties of a simulated button that nobody outside the vendor knows for sure, or that differ between models, with likely values (protocol 10, 12).
public struct ButtonSettings: Sendable, Equatable {
    /// Logical connections at a time, 1 to 31.
    public var slots = 8
    /// Pairings that are kept; a further one displaces the one that was not used for the longest time.
    public var pairingLimit = 32
    /// Events that are kept for clients that are away; further ones displace the oldest.
    public var eventLimit = 256
    /// The same for a Flic Twist (protocol 14.3).
    public var twistEventLimit = 16
    /// Queued events in a notification, 1 to 16.
    public var eventsPerNotification = 16
    /// Whether the event count that answers a client's first request already includes the events that are about to follow.
    public var countsQueueInAnswer = false

    /// Time between pings to a client; nil for none.
    public var pingInterval: Duration? = .seconds(10)
    /// How long a client may take to answer a ping.
    public var pingPatience: Duration = .seconds(10)
    /// How long a link without a session is kept.
    public var sessionlessTime: Duration = .seconds(40)

    /// How long the button has to be held down for public mode.
    public var holdForPublicMode: Duration = .seconds(6)
    /// How long public mode lasts.
    public var publicModeDuration: Duration = .seconds(30)
    /// How long the button advertises after a press while nobody is connected.
    public var advertisingAfterPress: Duration = .seconds(60)
    /// Time between advertisements after a press and in public mode.
    public var advertisingInterval: Duration = .milliseconds(100)

    /// Whether an app's credential for branded buttons is accepted.
    public var appCredentialsMatch = true
    /// The credential that apps have to prove, 16 bytes; nil to go by ``appCredentialsMatch``.
    public var appCredential: [UInt8]?
    /// Whether the button refuses apps without such a credential.
    public var caresAboutAppCredentials = false

    /// The likely values.
    public init() {}
}
