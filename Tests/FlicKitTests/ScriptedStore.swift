import FlicClient
import Synchronization

/// A store that is in use, or fails, when told to.
final class ScriptedStore: PairingStore {
    private struct State {
        var isInUse = false
        var failsToSave = false
    }

    private let state = Mutex(State())
    private let memory: MemoryStore

    init(_ records: [ButtonRecord] = [], isInUse: Bool = false) {
        memory = MemoryStore(records)
        self.isInUse = isInUse
    }

    var isInUse: Bool {
        get { state.withLock { $0.isInUse } }
        set { state.withLock { $0.isInUse = newValue } }
    }

    var failsToSave: Bool {
        get { state.withLock { $0.failsToSave } }
        set { state.withLock { $0.failsToSave = newValue } }
    }

    func lock() async throws(PairingStoreError) {
        if isInUse { throw PairingStoreError(.inUse, "another process has it") }
    }

    func load() async throws(PairingStoreError) -> [ButtonRecord] { try await memory.load() }

    func save(_ records: [ButtonRecord]) async throws(PairingStoreError) {
        if failsToSave { throw PairingStoreError(.failed, "the disk is full") }
        try await memory.save(records)
    }
}
