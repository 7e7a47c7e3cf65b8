internal import Synchronization

/// A value behind a lock.
///
/// Unlike `Mutex` it takes values that cannot be sent, such as weak references to delegates: programs set those from any thread
/// (contract A25), whatever the type of the delegate says.
///
/// `@unchecked Sendable`: the value is used with the lock held only.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = Mutex(())
    private var value: Value

    /// - Parameter value: The first one.
    package init(_ value: Value) {
        self.value = value
    }

    /// Runs `body` with the lock held. It is not recursive: `body` must not come back here.
    package func withLock<Result, Failure>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        var result: Result?
        try lock.withLock { _ throws(Failure) in result = try body(&value) }
        return result!  // set, or an error was thrown
    }
}
