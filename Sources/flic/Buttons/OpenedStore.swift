import FlicClient
import FoundationEssentials

/// A store that was locked and read before anything else, so that what is wrong with it is told as such, and so that only some of its
/// buttons are connected.
///
/// A button delivers each press once. One that is not asked for must not be connected, or its presses would be lost on a command that does
/// not show them.
struct OpenedStore: PairingStore {
    private let base: any PairingStore
    /// As they were read.
    let records: [ButtonRecord]
    /// The buttons that are to be connected.
    var awake: Set<UUID> = []

    init(_ base: any PairingStore) async throws(PairingStoreError) {
        self.base = base
        try await base.lock()
        do throws(PairingStoreError) {
            records = try await base.load()
        } catch {
            await base.unlock()
            throw error
        }
    }

    func lock() async throws(PairingStoreError) {}

    func unlock() async { await base.unlock() }

    func load() async throws(PairingStoreError) -> [ButtonRecord] {
        records.map { record in
            var record = record
            record.wantsConnection = awake.contains(record.identifier)
            return record
        }
    }

    /// The wishes of those that were left alone stay as they were. A button that was paired meanwhile has a wish of its own.
    func save(_ changed: [ButtonRecord]) async throws(PairingStoreError) { try await base.save(withWishes(changed)) }

    func keep(_ changed: [ButtonRecord]) async throws(PairingStoreError) { try await base.keep(withWishes(changed)) }

    private func withWishes(_ changed: [ButtonRecord]) -> [ButtonRecord] {
        let wishes = Dictionary(records.map { ($0.identifier, $0.wantsConnection) }) { first, _ in first }
        return changed.map { record in
            var record = record
            if !awake.contains(record.identifier), wishes[record.identifier] == true { record.wantsConnection = true }
            return record
        }
    }
}
