import Dispatch
public import FoundationEssentials
import Glibc
public import Logs
import Synchronization

/// A store in a directory of its own.
///
/// | file | |
/// | --- | --- |
/// | `buttons.json` | the records. Replaced as a whole: a new file is written, made durable, and renamed over the old one |
/// | `buttons.json.old` | the records before |
/// | `buttons.counters` | which presses have been told since then; overwritten in place, without waiting for the medium |
/// | `buttons.json.damaged` | records that could not be read |
/// | `buttons.lock` | locked by the process that uses the store |
///
/// The files have mode 0600, a directory made for them 0700, for pairing keys are secrets (contract A40). A process killed at any moment
/// leaves either the old records or the new ones, and of the presses at most those come again whose telling was under way. A machine
/// that loses its power also forgets which presses were told since the last ``save(_:)``. A damaged file is set aside and the copy is used; files by a
/// newer version are left alone, and nothing is written over them.
public final class FileStore: PairingStore {
    /// Where the files lie.
    public let directory: URL

    let queue = DispatchQueue(label: "flickit.store")
    private let state = Mutex(State())
    let log: @Sendable (LogLevel, String) -> Void
    let calls: SystemCalls

    /// Descriptors, as long as the store is ours.
    struct State {
        var lock: Int32?
        var counters: Int32?
        /// The latest number of records or counters; nil before they have been read. Nothing is written before that.
        var sequence: UInt64?
    }

    /// Nothing is touched before ``lock()``.
    ///
    /// - Parameters:
    ///   - directory: Is made if it does not exist.
    ///   - log: Where remarks go, for example about a damaged file.
    public convenience init(directory: URL, log: @escaping @Sendable (LogLevel, String) -> Void = StandardLog.write) {
        self.init(directory: directory, calls: SystemCalls(), log: log)
    }

    init(directory: URL, calls: SystemCalls, log: @escaping @Sendable (LogLevel, String) -> Void = StandardLog.write) {
        self.directory = directory
        self.calls = calls
        self.log = { log($0, LogArea.store.remark($1)) }
    }

    deinit { state.withLock { unlock(&$0) } }

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
        try await onQueue { store, state throws(PairingStoreError) in try store.lock(&state) }
    }

    /// Reads the records, or the previous ones if those are damaged, and what was kept since.
    public func load() async throws(PairingStoreError) -> [ButtonRecord] {
        try await onQueue { store, state throws(PairingStoreError) in try store.load(&state) }
    }

    /// Replaces the records. Needs the lock.
    public func save(_ records: [ButtonRecord]) async throws(PairingStoreError) {
        try await onQueue { store, state throws(PairingStoreError) in try store.save(records, &state) }
    }

    /// Overwrites the counters. Needs the lock.
    public func keep(_ records: [ButtonRecord]) async throws(PairingStoreError) {
        try await onQueue { store, state throws(PairingStoreError) in try store.keep(records, &state) }
    }

    /// Lets go of `buttons.lock`.
    public func unlock() async {
        _ = try? await onQueue { store, state throws(PairingStoreError) in store.unlock(&state) }
    }

    /// The file system may take its time, which is no reason to keep events waiting.
    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable (FileStore, inout State) throws(PairingStoreError) -> Value
    ) async throws(PairingStoreError) -> Value {
        let result: Result<Value, PairingStoreError> = await withCheckedContinuation { continuation in
            // Who waits below keeps the object. It is not kept here any longer than that, for the lock goes with it.
            queue.async { [unowned self] in
                let result = state.withLock { state in
                    Result { () throws(PairingStoreError) in try work(self, &state) }
                }
                continuation.resume(returning: result)
            }
        }
        return try withExtendedLifetime(self) { () throws(PairingStoreError) in try result.get() }
    }
}
