import Dispatch
import FlicClient
import FoundationEssentials
import Glibc

/// Files that people name.
enum UserFile {
    /// Reads a file, or standard input if the path is `-`.
    ///
    /// A thread waits for it, so that an interrupt ends the wait at a terminal or a pipe.
    ///
    /// - Parameters:
    ///   - limit: The largest size, in bytes.
    ///   - standardInput: Its descriptor.
    static func read(_ path: String, limit: Int, standardInput: Int32 = STDIN_FILENO) async throws -> Data {
        let contents = AsyncStream { continuation in
            DispatchQueue(label: "flic.file").async {
                continuation.yield(Result { () throws(PairingStoreError) in try readNow(path, limit, standardInput) })
                continuation.finish()
            }
        }
        for await result in contents { return try fileAccess { () throws(PairingStoreError) in try result.get() } }
        throw CancellationError()
    }

    /// Makes a file of mode 0600 that must not exist. Whatever happens, it is either complete and durable, or not there.
    static func create(_ path: String, contents: Data) throws(Failure) {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let temporary = "\(directory)/.\(UUID().uuidString)"
        defer { unlink(temporary) }
        try fileAccess { () throws(PairingStoreError) in try PrivateFile.write(contents, to: temporary) }
        guard moveIntoPlace(temporary, path) else {
            guard errno != EEXIST else { throw Failure(.failed, "fileExists", "\(path) exists already; name another file.") }
            throw Failure(fileAccess: PairingStoreError(errno: errno, "\(path) could not be made"))
        }
        try fileAccess { () throws(PairingStoreError) in try PrivateFile.synchronizeDirectory(directory) }
    }

    /// A link never replaces anything. Where there are none, as on many memory cards, the name is taken before the file comes to it.
    ///
    /// - Returns: false with `errno`.
    private static func moveIntoPlace(_ temporary: String, _ path: String) -> Bool {
        if link(temporary, path) == 0 { return true }
        guard errno == EPERM || errno == EOPNOTSUPP else { return false }
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return rename(temporary, path) == 0
    }

    private static func readNow(_ path: String, _ limit: Int, _ standardInput: Int32) throws(PairingStoreError) -> Data {
        guard path != "-" else { return try PrivateFile.read(standardInput, named: "Standard input", limit: limit) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PairingStoreError(errno: errno, "\(path) could not be read") }
        defer { close(descriptor) }
        return try PrivateFile.read(descriptor, named: path, limit: limit)
    }

    private static func fileAccess<Value>(_ body: () throws(PairingStoreError) -> Value) throws(Failure) -> Value {
        do {
            return try body()
        } catch {
            throw Failure(fileAccess: error)
        }
    }
}

extension Failure {
    /// A file that is not the store's.
    fileprivate init(fileAccess error: PairingStoreError) {
        let message = "\(error.description.withoutFullStop)."
        self = error.code == .denied ? Failure(.denied, "fileDenied", message) : Failure(.failed, "fileFailed", message)
    }
}
