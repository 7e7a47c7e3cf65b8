import EventLoops
import GATT

/// A link between the adapter and a button.
struct RadioLink {
    enum Phase {
        case connecting
        case up
        /// Frames that are on their way still arrive.
        case closing
    }

    /// Tells this link from later ones to the same button.
    let number: UInt64
    var phase = Phase.connecting
    /// It ends, whoever uses it: nobody joins it any more.
    var isEnding = false
    /// When the latest frame in each direction arrives: none overtakes it.
    var lastToButton = Duration.zero
    var lastFromButton = Duration.zero
}

/// One app's use of a link, or its wish for one.
struct Use {
    enum Stage {
        case waiting
        case connected
        case ready
        /// The app has closed it, which takes its time.
        case closing
    }

    /// Names a use.
    struct Key: Sendable {
        let central: SimulatedCentral
        let link: LinkID

        func isSame(as other: Key) -> Bool { central === other.central && link == other.link }
    }

    let key: Key
    let request: LinkRequest
    var stage = Stage.waiting
    /// Ends the wait.
    var timeout: ScheduledWork?
}
