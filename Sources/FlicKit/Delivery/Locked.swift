/// A value behind a lock.
///
/// Unlike `Mutex` it takes values that cannot be sent, such as weak references to delegates: programs set those from any thread
/// (contract A25), whatever the type of the delegate says.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
