import EventLoops
import FoundationEssentials
import Logs

/// Writing the records: one write at a time; what changes meanwhile is written by the next.
///
/// What presses change is only kept (``PairingStore/keep(_:)``), and saved for good a minute later at the latest.
extension Flic {
    /// How long what is only kept may wait to be saved.
    static let longestKeeping = Duration.seconds(60)

    struct Saving {
        var isRequested = false
        var isKeepRequested = false
        var isRunning = false
        /// Saves what has been kept.
        var timer: ScheduledWork?
        var waiters: [CheckedContinuation<Result<Void, PairingStoreError>, Never>] = []
        /// Buttons that are being forgotten.
        var excluded: Set<UUID> = []
        /// Records that are being imported, and the number of the import.
        var incoming: [(number: UInt64, record: ButtonRecord)] = []
    }

    /// Writes as soon as the write under way, if any, is done.
    func saveSoon() {
        saving.isRequested = true
        beginSaves()
    }

    /// Keeps as soon as the write under way, if any, is done.
    func keepSoon() {
        saving.isKeepRequested = true
        saveLater()
        beginSaves()
    }

    /// Writes in a minute at the latest.
    func saveLater() {
        guard saving.timer == nil else { return }
        saving.timer = loop.schedule(after: Self.longestKeeping) { [weak self] in self?.assumeIsolated { $0.saveSoon() } }
    }

    private func beginSaves() {
        guard !saving.isRunning else { return }
        saving.isRunning = true
        spawn { await $0.runSaves() }
    }

    /// Writes, and waits until what is known now is durable.
    package func save() async throws(PairingStoreError) {
        let result = await withCheckedContinuation { continuation in
            saving.waiters.append(continuation)
            saveSoon()
        }
        try result.get()
    }

    /// Writes all records but one. If that fails, the button stays in the later ones.
    func save(without id: UUID) async throws(PairingStoreError) {
        saving.excluded.insert(id)
        defer { saving.excluded.remove(id) }
        try await save()
    }

    /// Writes all records and those that are being imported. If that fails, these are not in the later ones.
    func save(importing records: [ButtonRecord]) async throws(PairingStoreError) {
        let number = nextNumber()
        saving.incoming += records.map { (number, $0) }
        defer { saving.incoming.removeAll { $0.number == number } }
        do throws(PairingStoreError) {
            try await save()
        } catch {
            saveSoon()  // without them: a write that has followed at once may have had them, and succeeded
            throw error
        }
    }

    private func runSaves() async {
        while saving.isRequested || saving.isKeepRequested {
            let isWhole = saving.isRequested
            saving.isRequested = false
            saving.isKeepRequested = false
            if isWhole {
                saving.timer?.cancel()
                saving.timer = nil
            }
            let waiters = saving.waiters
            saving.waiters = []
            let records = recordsToSave
            var result = Result<Void, PairingStoreError>.success(())
            do throws(PairingStoreError) {
                if let storeProblem { throw storeProblem }
                if isWhole { try await configuration.store.save(records) } else { try await configuration.store.keep(records) }
            } catch {
                configuration.log(.problem, LogArea.store.remark(error.description))
                result = .failure(error)
            }
            for waiter in waiters { waiter.resume(returning: result) }
        }
        saving.isRunning = false
    }

    private var recordsToSave: [ButtonRecord] {
        var imported: Set<UUID> = []
        let incoming = saving.incoming.map(\.record).filter { isWanted($0) && imported.insert($0.identifier).inserted }
        return order.filter { !saving.excluded.contains($0) && !imported.contains($0) }.compactMap { entries[$0]?.connection.record } + incoming
    }
}
