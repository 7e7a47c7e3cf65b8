package import FlicProtocol

/// The pairings of a button. A new one displaces the one that was not used for the longest time (protocol 10.3).
package struct PairingTable: Sendable, Equatable {
    /// The one that was used last comes last.
    package private(set) var all: [Pairing] = []
    var limit: Int {
        didSet { trim() }
    }

    init(limit: Int) {
        self.limit = limit
    }

    package mutating func insert(_ pairing: Pairing) {
        all.removeAll { $0.identifier == pairing.identifier }
        all.append(pairing)
        trim()
    }

    /// The pairing, which from now on counts as used last.
    mutating func use(_ identifier: UInt32) -> Pairing? {
        guard let index = all.firstIndex(where: { $0.identifier == identifier }) else { return nil }
        let pairing = all.remove(at: index)
        all.append(pairing)
        return pairing
    }

    subscript(identifier: UInt32) -> Pairing? { all.first { $0.identifier == identifier } }

    mutating func remove(_ identifier: UInt32) { all.removeAll { $0.identifier == identifier } }

    package mutating func removeAll() { all = [] }

    private mutating func trim() {
        if all.count > max(limit, 1) { all.removeFirst(all.count - max(limit, 1)) }
    }
}
