import Synchronization

/// A store that ends with the process. For tests and demonstrations.
public final class MemoryStore: PairingStore {
    private let records: Mutex<[ButtonRecord]>

    /// - Parameter records: What is there in the beginning.
    public init(_ records: [ButtonRecord] = []) {
        self.records = Mutex(records)
    }

    /// What is stored now.
    public var contents: [ButtonRecord] { records.withLock { $0 } }

    /// Always succeeds.
    public func lock() async throws(PairingStoreError) {}

    /// What is stored now.
    public func load() async throws(PairingStoreError) -> [ButtonRecord] { contents }

    /// Always succeeds.
    public func save(_ records: [ButtonRecord]) async throws(PairingStoreError) {
        self.records.withLock { $0 = records }
    }
}
