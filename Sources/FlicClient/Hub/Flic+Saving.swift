import FoundationEssentials

/// Writing the records: one write at a time; what changes meanwhile is written by the next.
extension Flic {
    struct Saving {
        var isRequested = false
        var isRunning = false
        var waiters: [CheckedContinuation<Result<Void, PairingStoreError>, Never>] = []
        /// Buttons that are being forgotten.
        var excluded: Set<UUID> = []
    }

    /// Writes as soon as the write under way, if any, is done.
    func saveSoon() {
        saving.isRequested = true
        guard !saving.isRunning else { return }
        saving.isRunning = true
        spawn { await $0.runSaves() }
    }

    /// Writes, and waits until what is known now is durable.
    func save() async throws(PairingStoreError) {
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

    private func runSaves() async {
        while saving.isRequested {
            saving.isRequested = false
            let waiters = saving.waiters
            saving.waiters = []
            let records = order.filter { !saving.excluded.contains($0) }.compactMap { entries[$0]?.connection.record }
            var result = Result<Void, PairingStoreError>.success(())
            do throws(PairingStoreError) {
                if let storeProblem { throw storeProblem }
                try await configuration.store.save(records)
            } catch {
                configuration.log(.problem, "\(error)")
                result = .failure(error)
            }
            for waiter in waiters { waiter.resume(returning: result) }
        }
        saving.isRunning = false
    }
}
