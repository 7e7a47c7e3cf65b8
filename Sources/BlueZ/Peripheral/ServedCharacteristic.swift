import EventLoops

/// A characteristic that is registered at present, or about to be.
struct ServedCharacteristic {
    /// Its object.
    let path: String
    /// A value that never changes and is served without asking.
    let value: [UInt8]?
    /// Whether each update waits for the acknowledgement of the one before.
    let onlyIndicates: Bool
    /// Objects of the centrals that are known to have subscribed. A bonded one may be subscribed from earlier, unseen (contract D86).
    var subscribers: Set<String> = []
    /// Updates behind one that has not been acknowledged.
    var held: [[UInt8]] = []
    /// Waits for that acknowledgement; nil if none is owed.
    var patience: ScheduledWork?

    /// A value is to go out: true if it goes now.
    mutating func admits(_ value: [UInt8]) -> Bool {
        // From those we do not know we need not hope for an acknowledgement.
        guard onlyIndicates, !subscribers.isEmpty, patience != nil else { return true }
        held.append(value)
        return false
    }

    /// The acknowledgement came, or is no longer waited for.
    ///
    /// - Returns: The update that goes next.
    mutating func acknowledged() -> [UInt8]? {
        patience?.cancel()
        patience = nil
        return held.isEmpty ? nil : held.removeFirst()
    }

    /// Nobody is left: what has not been sent yet is for nobody.
    mutating func abandoned() {
        patience?.cancel()
        patience = nil
        held = []
    }
}
