import EventLoops

/// A characteristic that is registered at present, or about to be: who has subscribed to it, and which of its updates wait.
///
/// An indication is waited for until all who have subscribed have acknowledged it, or the time for that is over. bluetoothd says that
/// somebody has acknowledged, but not who; and one of several that has switched off is not seen (contract D84), and never acknowledges.
/// So those that fail to are not counted on any more, until an acknowledgement too many comes.
struct ServedCharacteristic {
    /// Its object.
    let path: String
    /// A value that never changes and is served without asking.
    let value: [UInt8]?
    /// Whether each update waits for the acknowledgement of the one before.
    let onlyIndicates: Bool
    /// The centrals that are known to have subscribed: the ATT MTU of each, as it was when it did, by the object of its device. A bonded one may
    /// be subscribed from earlier, unseen (contract D87).
    private(set) var subscribers: [String: Int] = [:]
    /// The same of bonded centrals that are away: bluetoothd keeps their subscriptions (contract D86).
    private(set) var absent: [String: Int] = [:]
    /// Updates behind one that has not been acknowledged.
    private(set) var held: [[UInt8]] = []
    /// Waits for that acknowledgement; nil if none is owed.
    private var patience: ScheduledWork?
    /// Acknowledgements that are still to come.
    private var awaited = 0
    /// Subscribers that are not counted on.
    private var silent = 0

    /// More centrals than any adapter can serve.
    static let limit = 256

    init(path: String, value: [UInt8]? = nil, onlyIndicates: Bool) {
        self.path = path
        self.value = value
        self.onlyIndicates = onlyIndicates
    }

    // MARK: Subscribers

    /// A central has subscribed, perhaps once more.
    ///
    /// - Returns: False if there are too many.
    mutating func subscribe(_ device: String, mtu: Int) -> Bool {
        guard subscribers[device] != nil || subscribers.count < Self.limit else { return false }
        absent[device] = nil
        subscribers[device] = mtu
        silent = 0
        return true
    }

    /// The last one has unsubscribed, counting those that are away.
    mutating func unsubscribeAll() {
        subscribers = [:]
        absent = [:]
        abandon()
    }

    /// The link of a central has ended.
    ///
    /// - Returns: The update that goes next.
    mutating func left(_ device: String, isBonded: Bool) -> [UInt8]? {
        guard let mtu = subscribers.removeValue(forKey: device) else { return nil }
        if isBonded, absent.count < Self.limit { absent[device] = mtu }
        silent = min(silent, subscribers.count)
        guard !subscribers.isEmpty else {
            abandon()
            return nil
        }
        // Whether it has acknowledged what is on its way is not known. bluetoothd keeps what comes too early.
        return patience == nil ? nil : acknowledged()
    }

    /// A central has a link again.
    ///
    /// - Returns: The MTU that it had when it subscribed; nil if it has no subscription from then.
    mutating func returned(_ device: String, isBonded: Bool) -> Int? {
        guard let mtu = absent.removeValue(forKey: device), isBonded, subscribe(device, mtu: mtu) else { return nil }
        return mtu
    }

    /// bluetoothd knows a central no longer.
    mutating func forget(_ device: String) { absent[device] = nil }

    // MARK: Updates

    /// A value is to go out: true if it goes now.
    mutating func admits(_ value: [UInt8]) -> Bool {
        // From those we do not know we need not hope for an acknowledgement.
        guard onlyIndicates, !subscribers.isEmpty, patience != nil else { return true }
        held.append(value)
        return false
    }

    /// A value has gone out and is to be acknowledged.
    mutating func sent(_ patience: ScheduledWork) {
        self.patience = patience
        awaited = max(subscribers.count - silent, 1)
    }

    /// Somebody has acknowledged.
    ///
    /// - Returns: The update that goes next.
    mutating func acknowledged() -> [UInt8]? {
        guard patience != nil else {
            silent = max(silent - 1, 0)
            return nil
        }
        awaited -= 1
        return awaited > 0 ? nil : next()
    }

    /// The time for acknowledgements is over.
    ///
    /// - Returns: The update that goes next.
    mutating func gaveUp() -> [UInt8]? {
        silent = min(silent + awaited, subscribers.count)
        return next()
    }

    private mutating func next() -> [UInt8]? {
        patience?.cancel()
        patience = nil
        return held.isEmpty ? nil : held.removeFirst()
    }

    /// Nobody is left: what has not been sent yet is for nobody.
    mutating func abandon() {
        patience?.cancel()
        patience = nil
        held = []
        silent = 0
    }
}
