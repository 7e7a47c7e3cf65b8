import DBus
import EventLoops
import GATT

/// Our discovery on an adapter: wanted or not, and with which filter. One call at a time; the last wish wins.
///
/// A filter is always set: without one bluetoothd ignores advertisers whose flags do not say discoverable (bluez-facts, surprise 8).
struct BlueZDiscovery {
    /// What to do next.
    enum Step: Equatable {
        case setFilter(DiscoveryFilter)
        case start
        case stop
    }

    /// Between a failure and the next try.
    static let pause: ClosedRange<Duration> = .seconds(1)...(.seconds(30))

    private(set) var wanted: DiscoveryFilter?
    private var filter: DiscoveryFilter?
    private(set) var isActive = false
    private var isCalling = false
    /// bluetoothd says that a discovery is in progress: ours from before, or one that the kernel has kept since bluetoothd was started anew.
    private var isDoubtful = false
    private var failures = 0

    mutating func want(_ filter: DiscoveryFilter?) { wanted = filter }

    /// The next call, if one is due and none is under way. It counts as under way from here on.
    mutating func next() -> Step? {
        guard !isCalling else { return nil }
        let step: Step? =
            if isDoubtful {
                .stop
            } else if let wanted {
                wanted != filter ? .setFilter(wanted) : isActive ? nil : .start
            } else {
                isActive ? .stop : nil
            }
        isCalling = step != nil
        return step
    }

    /// A call was answered.
    ///
    /// - Returns: How long to wait before the next step.
    mutating func answered(_ step: Step, _ error: DBusError?) -> Duration {
        isCalling = false
        switch step {
        case .setFilter(let set) where error == nil:
            filter = set
            return .zero
        case .start where error == nil:
            isActive = true
            failures = 0
            return .zero
        case .stop:
            // "No discovery started" says the same.
            let pause = isDoubtful ? pause : .zero
            isActive = false
            isDoubtful = false
            filter = nil
            return pause
        case .start where error?.name == "org.bluez.Error.InProgress":
            // Whosever it is: after a stop it is not ours.
            failures += 1
            isDoubtful = true
            return .zero
        case .setFilter, .start:
            failures += 1
            return pause
        }
    }

    private var pause: Duration { Self.pause.backOff(after: failures) }

    /// The arguments of SetDiscoveryFilter.
    static func arguments(_ filter: DiscoveryFilter) -> [DBusValue] {
        var values: [String: DBusValue] = ["Transport": .string("le"), "DuplicateData": .boolean(true)]
        if case .services(let services) = filter { values["UUIDs"] = .strings(services.map(\.description)) }
        return [.properties(values)]
    }
}
