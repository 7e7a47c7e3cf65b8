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
    private var failures = 0

    mutating func want(_ filter: DiscoveryFilter?) { wanted = filter }

    /// The adapter is off, gone, or another one: nothing is active any more.
    mutating func reset() {
        filter = nil
        isActive = false
        isCalling = false
        failures = 0
    }

    /// The next call, if one is due and none is under way. It counts as under way from here on.
    mutating func next() -> Step? {
        guard !isCalling else { return nil }
        let step: Step? =
            if let wanted {
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
        case .setFilter(let set) where error == nil: filter = set
        case .start where error == nil || error?.name == "org.bluez.Error.InProgress": isActive = true  // ours already
        case .stop:
            isActive = false  // "No discovery started" says the same
            filter = nil
        case .setFilter, .start:
            failures += 1
            return min(Self.pause.lowerBound * (1 << min(failures - 1, 5)), Self.pause.upperBound)
        }
        failures = 0
        return .zero
    }

    /// The arguments of SetDiscoveryFilter.
    static func arguments(_ filter: DiscoveryFilter) -> [DBusValue] {
        var values: [String: DBusValue] = ["Transport": .string("le"), "DuplicateData": .boolean(true)]
        if case .service(let service) = filter { values["UUIDs"] = .strings([service.description]) }
        return [.properties(values)]
    }
}
