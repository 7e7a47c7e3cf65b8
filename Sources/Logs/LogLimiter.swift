/// Keeps logs calm in long outages: a remark that comes again and again about the same thing is written at once, then after a minute at the
/// earliest, after two more, and so on up to an hour, each time with the count of those left out. What is new is written at once.
///
/// The thing is what stands in front of the first colon: the area, and the button if there is one.
struct LogLimiter: Sendable {
    private static let firstPause = Duration.seconds(60)
    private static let longestPause = Duration.seconds(3600)
    /// Things that are remembered.
    private static let mostThings = 256

    private struct Memory {
        var remark: String
        var pause = LogLimiter.firstPause
        var next: Duration
        var leftOut = 0
    }

    private var memories: [Substring: Memory] = [:]

    /// Takes a remark.
    ///
    /// - Parameter now: By a clock that does not go back.
    /// - Returns: What is to be written.
    mutating func admit(_ remark: String, now: Duration) -> [String] {
        let thing = remark.prefix { $0 != ":" }
        guard var memory = memories[thing], memory.remark == remark else {
            let leftOut = memories[thing]?.leftOut ?? 0
            if memories[thing] == nil && memories.count >= Self.mostThings { memories = [:] }
            memories[thing] = Memory(remark: remark, next: now + Self.firstPause)
            return (leftOut == 0 ? [] : ["\(thing): the same \(Self.times(leftOut)) before this"]) + [remark]
        }
        guard memory.next <= now else {
            memories[thing]?.leftOut += 1
            return []
        }
        let text = memory.leftOut == 0 ? remark : "\(remark) (and \(Self.times(memory.leftOut)) since the last line)"
        memory.pause = min(memory.pause * 2, Self.longestPause)
        memory.next = now + memory.pause
        memory.leftOut = 0
        memories[thing] = memory
        return [text]
    }

    /// Something else has happened to a thing, which is not written: what comes next is new.
    mutating func pass(_ remark: String) {
        let thing = remark.prefix { $0 != ":" }
        if let memory = memories[thing], memory.remark != remark { memories[thing]?.remark = "" }
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}
