public import EventLoops
import Synchronization

/// Loops beside this one.
extension VirtualLoop: LoopClock {
    /// A loop with a queue of its own, for what needs real sockets, on the time of this one: `DBusConnection`, `BlueZSession` and ``FakeBlueZ`` take it.
    ///
    /// The clock moves on when all loops have nothing left to do and nothing is under way between them: before it does, the connections are asked whether
    /// what was sent has arrived. So a message needs no time, and a reply that never comes is noticed as soon as somebody's patience is over. A process at
    /// the other end of a connection that does something of its own accord is not waited for.
    ///
    /// - Parameter label: Name of the queue, for debuggers.
    public func makeLoop(label: String = "flickit.virtual-loop.beside") -> DispatchLoop { DispatchLoop(label: label, clock: self) }

    package func add(_ channel: LoopChannel) { state.withLock { $0.channels.add(channel) } }

    package func remove(_ channel: LoopChannel) { state.withLock { $0.channels.remove(channel) } }

    package func noteTraffic() { state.withLock { $0.channels.hasTraffic = true } }

    /// Asks all channels, twice: when all have answered, what was sent before has reached those who pass it on, if somebody does; when all have
    /// answered again, it has reached those whom it is for. If nothing was sent meanwhile, nothing is under way.
    func ask(_ channels: [LoopChannel], _ number: ChannelInquiry.Number, isAgain: Bool = false) {
        watchInquiry()
        let answers = Answers(channels.count) { [self] in
            if isAgain { endInquiry(number) } else { ask(channels, number, isAgain: true) }
        }
        for channel in channels { channel.settle(answers.count) }
    }

    private func endInquiry(_ number: ChannelInquiry.Number) {
        if state.withLock({ $0.channels.end(number) }) { workEnded() }
    }

    /// Looks now and then whether the present inquiry goes on. One look at a time: inquiries are frequent.
    private func watchInquiry() {
        let activity = state.withLock { state -> UInt64? in
            defer { state.channels.isWatched = true }
            return state.channels.isWatched ? nil : state.activity
        }
        guard let activity else { return }
        afterPatience { [self] in
            let (number, isStuck, body, now) = state.withLock { state in
                state.channels.isWatched = false
                return (state.channels.number, state.activity == activity, state.body, state.now)
            }
            guard let number else { return }
            guard isStuck else { return watchInquiry() }
            body?.fail(.stuck(at: now))
            endInquiry(number)
        }
    }
}

/// Counts answers down.
private final class Answers: Sendable {
    private let left: Mutex<Int>
    private let done: @Sendable () -> Void

    init(_ number: Int, _ done: @escaping @Sendable () -> Void) {
        left = Mutex(number)
        self.done = done
    }

    @Sendable func count() {
        let isLast = left.withLock {
            $0 -= 1
            return $0 == 0
        }
        if isLast { done() }
    }
}
