import GATT

/// The life of something that bluetoothd is to know: an application, or an advertisement.
///
/// bluetoothd forgets everything when it restarts and when the adapter goes, but not when the adapter is switched off and on
/// (contract D57). Whoever offered the thing hears once how it went; from then on it is registered again, here, whenever it was lost.
///
/// ```
///        ┌───────────── moved to another site or to none, released ─────────────┐
///        ▼                                                                      │
///     waiting ──moved to a site, retry──▶ registering ──answered well──▶ registered
///        ▲                                  │      │                            │
///        └──answered ill, but well before───┘      └──answered ill──▶ forgotten ◀── withdrawn
/// ```
///
/// A withdrawal while bluetoothd has not answered yet is made good when it has (contract D14).
struct Registration {
    /// A place to register: an adapter in one life of bluetoothd.
    struct Site: Hashable {
        let adapter: String
        let era: Int
    }

    /// One call of `Register…`.
    struct Attempt: Hashable {
        let number: Int
        let site: Site
    }

    /// What an input leads to, in this order.
    enum Action: Equatable {
        /// Export the objects and register them.
        case register(Attempt)
        /// Take the objects back; if bluetoothd may know them, it has to be told.
        case unregister(Attempt, isKnown: Bool)
        /// Tell whoever offered it how it went. Comes exactly once.
        case tell(PeripheralError?)
        /// Ask ``retry()`` after this time.
        case retryLater(Duration)
        /// It is over.
        case forget
    }

    private enum Phase: Equatable {
        case waiting
        case registering(Attempt)
        case registered(Attempt)
    }

    private var phase = Phase.waiting
    private var site: Site?
    private var isTold = false
    private(set) var isWithdrawn = false
    private var attempts = 0
    private var failures = 0

    /// The attempt under way, or the one that succeeded.
    var attempt: Attempt? {
        switch phase {
        case .waiting: nil
        case .registering(let attempt), .registered(let attempt): attempt
        }
    }

    /// From now on it belongs there; nil for nowhere.
    mutating func move(to site: Site?) -> [Action] {
        self.site = site
        switch phase {
        case .waiting: return begin()
        case .registering: return []  // its answer comes, and then we see
        case .registered(let attempt): return attempt.site == site ? [] : leave(attempt) + begin()
        }
    }

    /// bluetoothd has answered, or has failed to do so.
    mutating func answered(_ attempt: Attempt, _ error: PeripheralError?, isCertain: Bool = true) -> [Action] {
        guard phase == .registering(attempt) else { return [] }
        if let error { return refused(attempt, error, isCertain: isCertain) }
        guard !isWithdrawn else { return leave(attempt) + [.forget] }
        guard attempt.site == site else { return leave(attempt) + giveUpOrBegin() }
        phase = .registered(attempt)
        failures = 0
        return tell(nil)
    }

    private mutating func refused(_ attempt: Attempt, _ error: PeripheralError, isCertain: Bool) -> [Action] {
        // What was not answered in time may yet happen.
        let left = leave(attempt, isKnown: !isCertain)
        if isWithdrawn { return left + [.forget] }
        if attempt.site != site { return left + giveUpOrBegin() }
        guard isTold else { return left + tell(error) + [.forget] }
        failures += 1
        return left + [.retryLater(.seconds(5 << min(failures - 1, 6)))]
    }

    /// bluetoothd has dropped it by itself.
    mutating func released(_ attempt: Attempt) -> [Action] {
        guard phase == .registered(attempt) else { return [] }
        phase = .waiting
        return [.unregister(attempt, isKnown: false), .retryLater(.seconds(5))]
    }

    /// The time of ``Action/retryLater(_:)`` is over.
    mutating func retry() -> [Action] { phase == .waiting ? begin() : [] }

    /// It is not wanted any more.
    mutating func withdraw() -> [Action] {
        guard !isWithdrawn else { return [] }
        isWithdrawn = true
        let told = tell(PeripheralError(.withdrawn))
        switch phase {
        case .waiting: return told + [.forget]
        case .registering: return told
        case .registered(let attempt): return leave(attempt) + told + [.forget]
        }
    }

    // MARK: Steps

    private mutating func begin() -> [Action] {
        guard let site else { return [] }
        attempts += 1
        let attempt = Attempt(number: attempts, site: site)
        phase = .registering(attempt)
        return [.register(attempt)]
    }

    /// The site went away while it was being registered.
    private mutating func giveUpOrBegin() -> [Action] {
        if site == nil, !isTold { return tell(PeripheralError(.notPoweredOn)) + [.forget] }
        return begin()
    }

    /// A bluetoothd, or an adapter, that has gone need not be told.
    private mutating func leave(_ attempt: Attempt, isKnown: Bool = true) -> [Action] {
        phase = .waiting
        return [.unregister(attempt, isKnown: isKnown && attempt.site.era == site?.era)]
    }

    private mutating func tell(_ error: PeripheralError?) -> [Action] {
        guard !isTold else { return [] }
        isTold = true
        return [.tell(error)]
    }
}
