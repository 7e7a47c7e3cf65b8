import Foundation

/// A run loop, in one of its modes, that a stream is scheduled in.
///
/// `@unchecked Sendable`: nothing changes after the start, and what is called of a run loop and of its timers may be called from any thread.
final class ScheduledRunLoop: @unchecked Sendable {
    private static let year: TimeInterval = 365 * 24 * 3600

    let runLoop: RunLoop
    let mode: RunLoop.Mode
    /// Never due. A run loop ends without anything to wait for, and this is what a stream has in it.
    private let stay: Timer

    init(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        self.runLoop = runLoop
        self.mode = mode
        stay = Timer(fire: .distantFuture, interval: Self.year, repeats: true) { _ in }
        runLoop.add(stay, forMode: mode)
    }

    /// Takes the stream out of the run loop.
    func end() { stay.invalidate() }

    /// Runs `work` on the run loop soon. The main run loop is reached by the main queue, which programs without a run loop have, too (contract A27).
    func perform(_ work: @escaping @Sendable () -> Void) {
        if runLoop === RunLoop.main { return DispatchQueue.main.async(execute: work) }
        runLoop.perform(inModes: [mode], block: work)
        stay.fireDate = .distantFuture  // perform does not wake a run loop that waits, setting a timer does
    }
}
