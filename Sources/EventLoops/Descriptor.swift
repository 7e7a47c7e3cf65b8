internal import Glibc

/// A file descriptor that is closed when nobody needs it any more: neither its owner nor a dispatch source, which must not outlive it.
package final class Descriptor: Sendable {
    /// What system calls take.
    package let number: Int32

    /// Takes the descriptor into possession.
    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}
