import Dispatch
import FoundationEssentials
import Glibc

extension FileStore {
    /// Looks at the store without locking or changing anything.
    package func examine() async -> StoreFacts {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: facts()) }
        }
    }

    private func facts() -> StoreFacts {
        var facts = StoreFacts(directory: directory)
        facts.contents = contents()
        facts.obstacle = obstacle()
        for path in [directory.path, path("buttons.json"), path("buttons.json.old"), path("buttons.json.damaged")] {
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            // Names may be seen, but nobody else may put other files in their place.
            let others: mode_t = path == directory.path ? 0o022 : 0o077
            if status.st_mode & others != 0 { facts.exposed.append(path) }
            if status.st_uid != geteuid() { facts.foreign.append(path) }
        }
        facts.holder = LockHolder.find(path("buttons.lock"))
        var space = statvfs()
        if statvfs(nearestDirectory, &space) == 0 { facts.freeBytes = UInt64(space.f_bavail) * UInt64(space.f_frsize) }
        return facts
    }

    private func contents() -> StoreFacts.Contents {
        do throws(PairingStoreError) {
            let bytes = try read(path("buttons.json"))
            if let bytes, let records = try records(in: bytes) { return .records(records) }
            guard let copy = try read(path("buttons.json.old")) else { return bytes == nil ? .none : .damaged(copy: nil) }
            let records = try records(in: copy)
            if bytes == nil, let records { return .records(records) }
            return .damaged(copy: records)
        } catch {
            return error.code == .newerVersion ? .newerVersion : .unreadable(error)
        }
    }

    /// nil if they are damaged.
    private func records(in bytes: Data) throws(PairingStoreError) -> [ButtonRecord]? {
        do {
            return try StoredButtons.records(in: bytes).records
        } catch let error as PairingStoreError {
            throw error
        } catch {
            return nil
        }
    }

    /// Why ``lock()`` or ``save(_:)`` would fail, as far as permissions say.
    private func obstacle() -> PairingStoreError? {
        let place = nearestDirectory
        guard faccessat(AT_FDCWD, place, W_OK | X_OK, AT_EACCESS) == 0 else { return PairingStoreError(errno: errno, "\(place) is not writable") }
        let lock = path("buttons.lock")
        guard faccessat(AT_FDCWD, lock, R_OK | W_OK, AT_EACCESS) == 0 || errno == ENOENT else {
            return PairingStoreError(errno: errno, "\(lock) is not writable")
        }
        return nil
    }

    /// The directory of the store, or the one in which it would be made.
    private var nearestDirectory: String {
        var place = directory.path
        while access(place, F_OK) != 0, errno == ENOENT, place.count > 1 {
            place = URL(filePath: place).deletingLastPathComponent().path
        }
        return place
    }
}
