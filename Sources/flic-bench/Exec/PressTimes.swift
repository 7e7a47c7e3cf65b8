import Synchronization

/// Takes the times of presses on their way from the notification to the program. One press is on its way at a time.
final class PressTimes: Sendable {
    /// What a press has taken since its notification, in nanoseconds.
    struct Sample: Equatable, Sendable {
        /// Until the program was executed.
        let exec: UInt64
        /// Until the program's `main` began.
        let main: UInt64
    }

    /// The moments of a press, by the clock.
    private struct Moments {
        /// The last notification of any kind.
        var notification: UInt64 = 0
        /// That of the press, and its counter.
        var press: (time: UInt64, count: String)?
        var exec: UInt64?
        var main: UInt64?
    }

    private let moments = Mutex(Moments())
    private let clock: @Sendable () -> UInt64
    private let continuation: AsyncStream<Sample>.Continuation
    /// An element for each press whose program has ended. It ends if one has told no time, or by ``giveUp()``.
    let samples: AsyncStream<Sample>

    /// - Parameter clock: The one that programs tell the time by, in nanoseconds.
    init(clock: @escaping @Sendable () -> UInt64 = { MonotonicTime.now }) {
        self.clock = clock
        (samples, continuation) = AsyncStream.makeStream()
    }

    /// A notification has come out of the transport.
    func notified() {
        let now = clock()
        moments.withLock { $0.notification = now }
    }

    /// It was a press.
    func told(_ count: UInt32) { moments.withLock { $0.press = ($0.notification, "\(count)") } }

    /// A program has been executed.
    func executed() {
        let now = clock()
        moments.withLock { $0.exec = now }
    }

    /// A program says something.
    func said(_ line: String) {
        moments.withLock { moments in
            if let press = moments.press, let time = Stamp.time(in: line, count: press.count) { moments.main = time }
        }
    }

    /// The program has ended.
    func ended() {
        let sample = moments.withLock { moments -> Sample? in
            defer { moments = Moments() }
            guard let press = moments.press?.time, let exec = moments.exec, let main = moments.main, press <= min(exec, main) else { return nil }
            return Sample(exec: exec - press, main: main - press)
        }
        if let sample { continuation.yield(sample) } else { giveUp() }
    }

    func giveUp() { continuation.finish() }
}
