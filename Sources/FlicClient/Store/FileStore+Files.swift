import FoundationEssentials
import Glibc

/// What is done with the files, on the store's queue.
extension FileStore {
    /// The largest file that is read, in bytes.
    static let largestFile = 16 << 20

    func path(_ name: String) -> String { directory.appending(path: name).path }
    private var file: String { path("buttons.json") }
    private var previous: String { path("buttons.json.old") }
    private var new: String { path("buttons.json.new") }
    private var counters: String { path("buttons.counters") }

    // MARK: Lock

    func lock(_ state: inout State) throws(PairingStoreError) {
        guard state.lock == nil else { return }
        do {
            try FileManager.default.createDirectory(
                at: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw PairingStoreError(.denied, "The directory \(directory.path) for paired buttons could not be made: \(error)")
        }
        let path = path("buttons.lock")
        let descriptor = calls.open(path, O_CREAT | O_RDWR)
        guard descriptor >= 0 else { throw PairingStoreError(errno: errno, "\(path) could not be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno
            close(descriptor)
            guard error == EWOULDBLOCK else { throw PairingStoreError(errno: error, "\(path) could not be locked") }
            throw PairingStoreError(.inUse, "The paired buttons in \(directory.path) are in use by another process.")
        }
        state.lock = descriptor
        _ = calls.unlink(new)  // keys that a process which was killed has left behind
    }

    func unlock(_ state: inout State) {
        if let counters = state.counters { close(counters) }
        state.counters = nil
        guard let descriptor = state.lock else { return }
        // Closing is not enough while a process that is just being started has a copy of the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
        state.lock = nil
    }

    // MARK: Reading

    func load(_ state: inout State) throws(PairingStoreError) -> [ButtonRecord] {
        let stored = try loadRecords(isOurs: state.lock != nil)
        let kept = loadCounters()
        state.sequence = max(stored.sequence, kept?.sequence ?? 0)
        guard let kept, kept.sequence > stored.sequence else { return stored.records }
        return stored.records.map { record in
            var record = record
            record.position = kept.positions[record.identifier] ?? record.position
            return record
        }
    }

    private func loadRecords(isOurs: Bool) throws(PairingStoreError) -> (records: [ButtonRecord], sequence: UInt64) {
        if let bytes = try read(file) {
            do {
                return try StoredButtons.records(in: bytes)
            } catch let error as PairingStoreError {
                throw error
            } catch {
                // Not ours to set aside while another process has the store.
                log(.problem, "\(file) is damaged (\(error)).\(isOurs ? setDamagedFileAside() : "")")
            }
        }
        guard let bytes = try read(previous) else { return ([], 0) }
        do {
            let stored = try StoredButtons.records(in: bytes)
            log(.problem, "The previous copy of the paired buttons, \(previous), is used.")
            return stored
        } catch let error as PairingStoreError {
            throw error
        } catch {
            log(.problem, "\(previous) is damaged as well (\(error)).")
            return ([], 0)
        }
    }

    /// The previous copy takes the place of a damaged file.
    ///
    /// - Returns: A sentence about it.
    private func setDamagedFileAside() -> String {
        let damaged = path("buttons.json.damaged")
        guard calls.rename(file, damaged) else { return "" }
        _ = calls.link(previous, file)
        return " It was kept as \(damaged)."
    }

    /// nil if there is no such file.
    func read(_ path: String) throws(PairingStoreError) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)  // a pipe put there must not hold us up
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw PairingStoreError(errno: errno, "\(path) could not be read")
        }
        defer { close(descriptor) }
        return try PrivateFile.read(descriptor, named: path, limit: Self.largestFile)
    }

    /// The newer of the two slots; nil if neither is whole. Then the records know best.
    private func loadCounters() -> StoredCounters? {
        let descriptor = open(counters, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let slots = [0, 1].compactMap { number in
            calls.read(descriptor, at: number * StoredCounters.slotSize, upTo: StoredCounters.slotSize).flatMap { StoredCounters(slot: $0) }
        }
        return slots.max { $0.sequence < $1.sequence }
    }

    // MARK: Writing

    /// The number of what is written next. Refused without the lock, and where there is something that must not be written over.
    private func nextSequence(_ state: inout State) throws(PairingStoreError) -> UInt64 {
        guard state.lock != nil else {
            throw PairingStoreError(.inUse, "The paired buttons in \(directory.path) are not ours to write.")
        }
        if state.sequence == nil { _ = try load(&state) }
        return (state.sequence ?? 0) + 1
    }

    func save(_ records: [ButtonRecord], _ state: inout State) throws(PairingStoreError) {
        let sequence = try nextSequence(&state)
        let bytes = StoredButtons.bytes(of: records, sequence: sequence)
        _ = calls.unlink(new)  // left behind where the last attempt has failed
        try PrivateFile.write(bytes, to: new, calls)
        // The previous copy is a second name for the old file, so that at no moment there is no file.
        _ = calls.unlink(previous)
        if !calls.link(file, previous), errno != ENOENT { log(.debug, "no copy of \(file) was kept: \(String(cString: strerror(errno)))") }
        guard calls.rename(new, file) else { throw PairingStoreError(errno: errno, "\(file) could not be replaced") }
        state.sequence = sequence
        try PrivateFile.synchronizeDirectory(directory.path, calls)
    }

    func keep(_ records: [ButtonRecord], _ state: inout State) throws(PairingStoreError) {
        let sequence = try nextSequence(&state)
        guard let bytes = StoredCounters(sequence: sequence, records: records).bytes else { return try save(records, &state) }
        if state.counters == nil { state.counters = try openCounters() }
        guard let descriptor = state.counters else { return }
        let slot = Int(sequence % 2) * StoredCounters.slotSize
        guard calls.write(bytes, at: slot, to: descriptor) else { throw PairingStoreError(errno: errno, "\(counters) could not be written") }
        state.sequence = sequence
    }

    private func openCounters() throws(PairingStoreError) -> Int32 {
        let descriptor = calls.open(counters, O_CREAT | O_RDWR)
        guard descriptor >= 0 else { throw PairingStoreError(errno: errno, "\(counters) could not be opened") }
        return descriptor
    }
}
