internal import Glibc

/// Tells, again and again, that a descriptor can be read or that it can be written, for as long as that is so.
///
/// It watches a *duplicate*, which it closes itself: whenever the owner closes the descriptor, nothing is left that watches one that is closed, or that by
/// then means another file.
///
/// It belongs to its loop: all calls are made there, and so is `ready`. On the loop it is certain that one that is not running, or was cancelled, does not
/// fire any more.
///
/// `@unchecked Sendable`: all of it is used on the loop only.
package final class DescriptorSource: @unchecked Sendable {
    /// What is waited for.
    package typealias Direction = Readiness.Kind

    private var readiness: Readiness?
    private let ready: () -> Void

    /// Whether it fires. Starts with false.
    package var isRunning = false {
        didSet { if isRunning { readiness?.arm() } }
    }

    /// Nil if the descriptor cannot be duplicated.
    package init?(_ descriptor: Int32, _ direction: Direction, on loop: DispatchLoop, ready: @escaping () -> Void) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        self.ready = ready
        readiness = Readiness(direction, of: Descriptor(duplicate), on: loop, isArmed: false) { [weak self] in self?.fired() }
    }

    deinit { cancel() }

    private func fired() {
        guard isRunning else { return }
        ready()
        if isRunning { readiness?.arm() }
    }

    /// It fires no more.
    package func cancel() {
        readiness?.cancel()
        readiness = nil
    }
}
