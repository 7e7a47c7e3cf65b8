import FlicClient
import Synchronization

/// A store that fails when it is told to, or that another process holds.
final class FailingStore: PairingStore {
    let fails = Mutex(false)
    let isHeldElsewhere = Mutex(false)
    let records = Mutex<[ButtonRecord]>([])
    let saves = Mutex(0)

    func lock() async throws(PairingStoreError) {
        if isHeldElsewhere.withLock({ $0 }) { throw PairingStoreError(.inUse, "held elsewhere") }
    }

    func load() async throws(PairingStoreError) -> [ButtonRecord] { records.withLock { $0 } }

    func save(_ records: [ButtonRecord]) async throws(PairingStoreError) {
        saves.withLock { $0 += 1 }
        if fails.withLock({ $0 }) { throw PairingStoreError(.failed, "disk full") }
        self.records.withLock { $0 = records }
    }
}
