import Dispatch
public import FoundationEssentials
import Glibc
import Synchronization

/// A store in a file: `buttons.json` in a directory of its own.
///
/// The file has mode 0600, a directory made for it 0700, for pairing keys are secrets (contract A40). It is replaced as a whole: a
/// new file is written, made durable, and renamed over the old one, of which a copy is kept as `buttons.json.old`. So a process
/// killed at any moment leaves either the old records or the new ones. A damaged file is set aside as `buttons.json.damaged` and
/// the copy is used; a file by a newer version is left alone, and nothing is written over it.
public final class FileStore: PairingStore {
    /// Where the file lies.
    public let directory: URL

    private let queue = DispatchQueue(label: "flickit.store")
    /// Descriptor of the lock file as long as the store is ours.
    private let lockDescriptor = Mutex<Int32?>(nil)
    private let log: @Sendable (LogLevel, String) -> Void

    /// The largest file that is read, in bytes.
    static let largestFile = 16 << 20

    /// Nothing is touched before ``lock()``.
    ///
    /// - Parameters:
    ///   - directory: Is made if it does not exist.
    ///   - log: Where remarks go, for example about a damaged file.
    public init(directory: URL, log: @escaping @Sendable (LogLevel, String) -> Void = LogLevel.writeProblems) {
        self.directory = directory
        self.log = log
    }

    deinit { unlockNow() }

    /// Where an application keeps its buttons: `$STATE_DIRECTORY` (set by systemd), else a directory named after the application below
    /// `$XDG_STATE_HOME` or `~/.local/state` (contract A40).
    ///
    /// - Parameter application: `$FLICKIT_APPLICATION`, or the name of the executable, unless told otherwise.
    /// - Throws: If there is neither of the variables nor a home directory.
    public static func defaultDirectory(application: String? = nil) throws(PairingStoreError) -> URL {
        let environment = ProcessInfo.processInfo.environment
        func directory(_ name: String) -> URL? {
            // The XDG specification has relative paths ignored.
            environment[name].flatMap { $0.hasPrefix("/") ? URL(filePath: $0, directoryHint: .isDirectory) : nil }
        }
        if let first = environment["STATE_DIRECTORY"]?.split(separator: ":").first, first.hasPrefix("/") {
            return URL(filePath: String(first), directoryHint: .isDirectory)
        }
        let executable = CommandLine.arguments.first.map { URL(filePath: $0).lastPathComponent }
        let name = (application ?? environment["FLICKIT_APPLICATION"] ?? executable ?? "").filter { $0 != "/" && $0 != "\0" }
        guard !name.isEmpty, name != ".", name != ".." else {
            throw PairingStoreError(.failed, "There is no name for the application whose buttons are to be stored.")
        }
        if let state = directory("XDG_STATE_HOME") { return state.appending(path: name, directoryHint: .isDirectory) }
        guard let home = directory("HOME") else {
            throw PairingStoreError(.failed, "Neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME says where to store buttons.")
        }
        return home.appending(path: ".local/state/\(name)", directoryHint: .isDirectory)
    }

    /// Makes the directory if needed, and locks `buttons.lock` in it until ``unlock()``, or until the object goes.
    public func lock() async throws(PairingStoreError) {
        try await onQueue { store throws(PairingStoreError) in try store.lockNow() }
    }

    /// Reads the file, or the previous copy if it is damaged.
    public func load() async throws(PairingStoreError) -> [ButtonRecord] {
        try await onQueue { store throws(PairingStoreError) in try store.loadNow() }
    }

    /// Replaces the file. Needs the lock.
    public func save(_ records: [ButtonRecord]) async throws(PairingStoreError) {
        try await onQueue { store throws(PairingStoreError) in try store.saveNow(records) }
    }

    /// Lets go of `buttons.lock`.
    public func unlock() async {
        _ = try? await onQueue { store throws(PairingStoreError) in store.unlockNow() }
    }

    /// The file system may take its time, which is no reason to keep events waiting.
    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable (FileStore) throws(PairingStoreError) -> Value
    ) async throws(PairingStoreError) -> Value {
        let result: Result<Value, PairingStoreError> = await withCheckedContinuation { continuation in
            // Who waits below keeps the object. It is not kept here any longer than that, for the lock goes with it.
            queue.async { [unowned self] in
                let result = Result { () throws(PairingStoreError) in try work(self) }
                continuation.resume(returning: result)
            }
        }
        return try withExtendedLifetime(self) { () throws(PairingStoreError) in try result.get() }
    }

    // MARK: On the queue

    private func path(_ name: String) -> String { directory.appending(path: name).path }
    private var file: String { path("buttons.json") }
    private var previous: String { path("buttons.json.old") }

    private func lockNow() throws(PairingStoreError) {
        guard lockDescriptor.withLock({ $0 }) == nil else { return }
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
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw PairingStoreError(errno: errno, "\(path) could not be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno
            close(descriptor)
            guard error == EWOULDBLOCK else { throw PairingStoreError(errno: error, "\(path) could not be locked") }
            throw PairingStoreError(.inUse, "The paired buttons in \(directory.path) are in use by another process.")
        }
        lockDescriptor.withLock { $0 = descriptor }
    }

    private func unlockNow() {
        lockDescriptor.withLock { descriptor in
            guard let open = descriptor else { return }
            // Closing is not enough while a process that is just being started has a copy of the descriptor.
            flock(open, LOCK_UN)
            close(open)
            descriptor = nil
        }
    }

    private func loadNow() throws(PairingStoreError) -> [ButtonRecord] {
        if let bytes = try read(file) {
            do {
                return try StoredButtons.records(in: bytes)
            } catch let error as PairingStoreError {
                throw error
            } catch {
                log(.problem, "\(file) is damaged (\(error)).\(setDamagedFileAside())")
            }
        }
        guard let bytes = try read(previous) else { return [] }
        do {
            let records = try StoredButtons.records(in: bytes)
            log(.problem, "The previous copy of the paired buttons, \(previous), is used.")
            return records
        } catch let error as PairingStoreError {
            throw error
        } catch {
            log(.problem, "\(previous) is damaged as well (\(error)).")
            return []
        }
    }

    /// The previous copy takes the place of a damaged file. Not ours to do while another process has the store.
    ///
    /// - Returns: A sentence about it.
    private func setDamagedFileAside() -> String {
        let damaged = path("buttons.json.damaged")
        guard lockDescriptor.withLock({ $0 }) != nil, rename(file, damaged) == 0 else { return "" }
        link(previous, file)
        return " It was kept as \(damaged)."
    }

    /// nil if there is no such file.
    private func read(_ path: String) throws(PairingStoreError) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)  // a pipe put there must not hold us up
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw PairingStoreError(errno: errno, "\(path) could not be read")
        }
        defer { close(descriptor) }
        return try PrivateFile.read(descriptor, named: path, limit: Self.largestFile)
    }

    private func saveNow(_ records: [ButtonRecord]) throws(PairingStoreError) {
        guard lockDescriptor.withLock({ $0 }) != nil else {
            throw PairingStoreError(.inUse, "The paired buttons in \(directory.path) are not ours to write.")
        }
        let bytes = StoredButtons.bytes(of: records)
        let new = path("buttons.json.new")
        unlink(new)  // left behind by a process that was killed
        try PrivateFile.write(bytes, to: new)
        // The previous copy is a second name for the old file, so that at no moment there is no file.
        unlink(previous)
        if link(file, previous) != 0 && errno != ENOENT { log(.debug, "no copy of \(file) was kept: \(String(cString: strerror(errno)))") }
        guard rename(new, file) == 0 else { throw PairingStoreError(errno: errno, "\(file) could not be replaced") }
        try PrivateFile.synchronizeDirectory(directory.path)
    }
}
