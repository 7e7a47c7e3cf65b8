import EventLoops

/// What is known of the channels of loops.
struct ChannelInquiry {
    typealias Number = UInt64

    private var channels: [LoopChannel] = []
    /// Something was sent since the last inquiry began.
    var hasTraffic = false
    /// The present inquiry.
    private(set) var number: Number?
    private var lastNumber: Number = 0
    var isWatched = false

    mutating func add(_ channel: LoopChannel) { channels.append(channel) }

    mutating func remove(_ channel: LoopChannel) { channels.removeAll { $0 === channel } }

    /// Begins an inquiry, if one is due: whom to ask.
    mutating func begin() -> ([LoopChannel], Number)? {
        guard hasTraffic, number == nil else { return nil }
        hasTraffic = false
        guard !channels.isEmpty else { return nil }
        lastNumber += 1
        number = lastNumber
        return (channels, lastNumber)
    }

    /// - Returns: Whether it was the present inquiry.
    mutating func end(_ number: Number) -> Bool {
        guard self.number == number else { return false }
        self.number = nil
        return true
    }
}
