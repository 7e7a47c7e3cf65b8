import Foundation

/// A run loop, in one of its modes, that a stream is scheduled in.
///
/// `@unchecked Sendable`: nothing changes after the start, and what is called of a run loop and of its timers may be called from any thread.
final class ScheduledRunLoop: @unchecked Sendable {
    private static let year: TimeInterval = 365 * 24 * 3600

    let runLoop: RunLoop
    let mode: RunLoop.Mode
    /// What a stream has in a run loop, which otherwise ends for want of anything to wait for. It is due only to wake it. Nil for the main run
    /// loop, which never ends.
    private let stay: Timer?

    init(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        self.runLoop = runLoop
        self.mode = mode
        stay = runLoop === RunLoop.main ? nil : Timer(fire: .distantFuture, interval: Self.year, repeats: true) { _ in }
        if let stay { runLoop.add(stay, forMode: mode) }
    }

    /// Runs `work` on the run loop soon. The main run loop is reached by the main queue, which programs without a run loop have, too (contract A27).
    func perform(_ work: @escaping @Sendable () -> Void) {
        guard let stay else { return DispatchQueue.main.async(execute: work) }
        runLoop.perform(inModes: [mode], block: work)
        stay.fireDate = Date()  // perform wakes no run loop, and what is performed from inside waits for the next time that something does
    }

    /// Takes the stream out of the run loop.
    func end() {
        guard let stay else { return }
        nonisolated(unsafe) let timer = stay
        // There, so that it wakes and sees whether anything is left.
        perform { timer.invalidate() }
    }
}
