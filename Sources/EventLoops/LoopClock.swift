/// What gives a ``DispatchLoop`` its time, in place of the system's clock: a simulation, which moves the time on when nothing is under way.
///
/// It has to know what is under way: the work of its loops, which they count, and what travels outside them, which it asks their channels about.
/// All members may be used from any thread.
package protocol LoopClock: AnyObject, Sendable {
    /// Time since an origin that never changes.
    var now: Duration { get }

    /// Runs `work`, on a queue of the clock, once `delay` is over.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork

    /// A piece of work was handed over, to be followed by ``workEnded()``.
    func workBegan()

    /// A piece of work is done.
    func workEnded()

    /// Asks this channel, too, from now on.
    func add(_ channel: LoopChannel)

    /// Does not ask it any more.
    func remove(_ channel: LoopChannel)

    /// Something was sent by a channel, or a channel was opened or closed: it is under way until all channels have been asked.
    func noteTraffic()
}

/// A way by which something leaves a loop for other loops or processes, and comes back: a socket.
package final class LoopChannel: Sendable {
    private let settling: @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    /// - Parameter settling: See ``settle(_:)``; called on any thread.
    package init(_ settling: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void) {
        self.settling = settling
    }

    /// Calls `done` when all that was sent by this channel before has arrived at the far end, and all that was waiting there for this end has been
    /// handled here.
    package func settle(_ done: @escaping @Sendable () -> Void) { settling(done) }
}
