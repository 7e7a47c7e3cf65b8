import GATT

/// Answers to reads that did not fit into one packet: whoever reads on gets the rest of the same value, not of what it is meanwhile.
///
/// A central reads a long value in several requests, each with the offset that it has reached, and bluetoothd asks for each of them.
/// A program that answers each from a value that changes would give a mixture (contract D61). So the answer to the read at offset 0 is
/// kept for that central, unless it ended within its packet.
///
/// No clock: the time comes with the calls. Never holds more than ``limit`` answers; the one that was used longest ago goes first.
struct LongReads {
    /// Who reads what.
    struct Key: Hashable {
        /// Object of the central.
        let device: String
        let attribute: AttributeID
    }

    private enum Entry {
        /// The program has been asked, with this request, and has not answered.
        case awaited(RequestID)
        case kept([UInt8])
    }

    /// How many answers are kept.
    static let limit = 64
    /// How long, after they were used last (ATT transaction time).
    static let lifetime = Duration.seconds(30)

    private var entries: [Key: (entry: Entry, used: Duration)] = [:]

    var count: Int { entries.count }

    /// A central reads from the beginning, and the program is asked.
    mutating func began(_ key: Key, _ request: RequestID, now: Duration) {
        entries[key] = (.awaited(request), now)
        guard entries.count > Self.limit, let oldest = entries.min(by: { $0.value.used < $1.value.used })?.key else { return }
        entries[oldest] = nil
    }

    /// The program has answered a read.
    ///
    /// - Parameters:
    ///   - value: Nil for an error.
    ///   - mtu: ATT MTU; a packet holds one byte of the value less. One that is full may not hold all of it.
    mutating func answered(_ key: Key, _ request: RequestID, _ value: [UInt8]?, mtu: Int, now: Duration) {
        // Written, read anew or gone in the meantime: the answer belongs to nothing that anybody reads on.
        guard case .awaited(request)? = entries[key]?.entry else { return }
        guard let value, value.count >= mtu - 1 else { return forget { $0 == key } }
        entries[key] = (.kept(value), now)
    }

    /// A central reads on.
    ///
    /// - Returns: What is left from the offset on; nil if nothing is kept for it.
    mutating func rest(_ key: Key, from offset: Int, now: Duration) -> Result<[UInt8], ATTError>? {
        guard case .kept(let value)? = entries[key]?.entry, let used = entries[key]?.used else { return nil }
        guard now < used + Self.lifetime else {
            forget { $0 == key }
            return nil
        }
        entries[key]?.used = now
        return value.rest(from: offset)
    }

    /// Drops what is kept, and what is awaited.
    mutating func forget(where isMeant: (Key) -> Bool) {
        for key in entries.keys where isMeant(key) { entries[key] = nil }
    }
}

extension [UInt8] {
    /// What a read from an offset on is answered with. At the end nothing is left, which is no error.
    func rest(from offset: Int) -> Result<[UInt8], ATTError> {
        offset > count ? .failure(.invalidOffset) : .success(Array(dropFirst(offset)))
    }
}
