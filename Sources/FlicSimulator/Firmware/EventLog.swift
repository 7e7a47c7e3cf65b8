/// The events since the button started, as far as it can remember them (protocol 10.2).
package struct EventLog: Sendable, Equatable {
    package private(set) var records: [PressEncoder.Record] = []
    var limit: Int

    package init(limit: Int, records: [PressEncoder.Record] = []) {
        self.limit = limit
        append(records)
    }

    mutating func append(_ new: [PressEncoder.Record]) {
        records += new
        if records.count > max(limit, 0) { records.removeFirst(records.count - max(limit, 0)) }
    }

    /// What a client gets that has seen everything up to a count.
    ///
    /// - Parameters:
    ///   - count: The client's count; nil if it is from before the start.
    ///   - number: At most so many, the newest.
    ///   - time: None from before this time, in ticks.
    func queue(after count: UInt32?, number: Int, since time: UInt64) -> [PressEncoder.Record] {
        let fresh = records.filter { record in
            guard record.time >= time else { return false }
            guard let count else { return true }
            let step = record.counter &- count
            return step != 0 && step < 1 << 31
        }
        return Array(fresh.suffix(number))
    }
}

extension PressEncoder.Record {
    /// A record as a button would have made it.
    package init(ticks: UInt64, code: UInt8, counter: UInt32) {
        self.init(time: ticks, code: code, counter: counter)
    }
}
