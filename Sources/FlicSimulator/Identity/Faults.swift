/// What is wrong with a simulated button, its surroundings, or somebody who pretends to be it. Nothing is by default.
///
/// Members named `next…` count down to zero with each use; the others stay until changed.
public struct Faults: Sendable, Equatable {
    /// Makes a button without faults.
    public init() {}

    // MARK: Frames on the air

    /// Loses this many of the next frames from the button.
    public var nextLostFromButton = 0
    /// Loses this many of the next frames to the button.
    public var nextLostToButton = 0
    /// Loses every n-th frame from the button; zero loses none.
    public var losesEveryFromButton = 0
    /// Loses every n-th frame to the button; zero loses none.
    public var losesEveryToButton = 0
    /// Sends this many of the next frames twice.
    public var nextDuplicated = 0
    /// Exchanges this many of the next frames with the one behind each.
    public var nextSwapped = 0
    /// Additional time that each frame takes, in both directions.
    public var frameDelay: Duration = .zero
    /// Frames that are sent in front of each answer that gives an id, as if other clients were on the link.
    public var foreignFrames: [[UInt8]] = []
    /// Cuts packets into pieces of these sizes in turn, as far as the MTU allows; empty for as large as possible.
    public var fragmentSizes: [Int] = []

    // MARK: Packets

    /// Damages the signatures of this many of the next signed packets.
    public var nextDamagedSignatures = 0
    /// Skips a number in the count of signed packets in front of the packet with this number (from 0 in each session), as if one was lost.
    public var skipsCount: UInt64?
    /// Closes the link after this many more packets.
    public var packetsUntilDisconnect: Int?
    /// Takes everything and answers nothing.
    public var neverAnswers = false
    /// Bytes that later firmware might add to packets of fixed length.
    public var trailingBytes: [UInt8] = []

    // MARK: Verification

    /// What is wrong with the certificate.
    public enum Certificate: Sendable, Equatable {
        /// It is for another address.
        case address
        /// It is not for a public address.
        case addressType
        /// It is not signed by the test root.
        case signature
    }

    /// What is wrong with the certificate; nil for nothing.
    public var certificate: Certificate?
    /// Refuses pairing for this reason: 0 verifier wrong, 1 not in public mode, others unknown to clients; nil for not at all.
    public var refusesPairing: UInt8?
    /// Says that all slots are taken.
    public var refusesEverybody = false
    /// Answers each opening request for a temporary id that nobody uses, before it answers the right one.
    public var answersForeignIDFirst = false
    /// Uses a session key that the client cannot know when it answers a Quick Verify.
    public var usesForeignKey = false
    /// Says that it does not know the pairing of a Quick Verify although it does.
    public var deniesPairings = false
    /// Gives a proof about a pairing that is neither of the possible ones.
    public var forgesProof = false

    // MARK: Events

    /// Queues all events since the start, whatever the client has seen.
    public var replaysEverything = false
    /// Discards the end of each queue: no event says that it is the last (protocol 13.3). Only of a Flic Duo.
    public var losesEndOfQueue = false

    /// Finds that every firmware image is signed wrongly.
    public var refusesFirmware = false
    /// Refuses to begin a firmware update: the parameters are wrong.
    public var refusesFirmwareStart = false
    /// Refuses to begin a firmware update: another client's is under way.
    public var isFirmwareBusy = false

    // MARK: Link and services

    /// What goes wrong with links.
    public enum Link: Sendable, Equatable {
        /// The device never answers the request for a link.
        case unanswered
        /// The link cannot be made.
        case refused
        /// The adapter can hold no more links.
        case limitReached
        /// The service is not there.
        case serviceMissing
        /// Notifications cannot be switched on.
        case notifyRefused
        /// The system insists on bonding.
        case bondingRequired
    }

    /// What goes wrong with links; nil for nothing.
    public var link: Link?
    /// Another host holds the only link that the button can have. It says so while it advertises.
    public var isConnectedElsewhere = false
}
