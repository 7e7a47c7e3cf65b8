package import FoundationEssentials
import Glibc

/// Files that hold secrets.
package enum PrivateFile {
    /// Reads to the end.
    ///
    /// - Parameters:
    ///   - name: For errors.
    ///   - limit: The largest size, in bytes.
    package static func read(_ descriptor: Int32, named name: String, limit: Int) throws(PairingStoreError) -> Data {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else {
                guard errno != EINTR else { continue }
                throw PairingStoreError(errno: errno, "\(name) could not be read")
            }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: buffer[0..<count])
            guard bytes.count <= limit else { throw PairingStoreError(.failed, "\(name) is too large.") }
        }
    }

    /// Makes a file of mode 0600 that must not exist. It is durable when the function returns; its name is not.
    package static func write(_ bytes: some Sequence<UInt8>, to path: String) throws(PairingStoreError) {
        try write(Array(bytes), to: path, SystemCalls())
    }

    static func write(_ bytes: [UInt8], to path: String, _ calls: SystemCalls) throws(PairingStoreError) {
        let descriptor = calls.open(path, O_CREAT | O_EXCL | O_WRONLY)
        guard descriptor >= 0 else { throw PairingStoreError(errno: errno, "\(path) could not be written") }
        defer { close(descriptor) }
        guard calls.write(bytes, to: descriptor) else { throw PairingStoreError(errno: errno, "\(path) could not be written") }
        guard calls.synchronize(descriptor) else { throw PairingStoreError(errno: errno, "\(path) could not be made durable") }
    }

    /// Makes the names in a directory durable.
    package static func synchronizeDirectory(_ path: String) throws(PairingStoreError) {
        try synchronizeDirectory(path, SystemCalls())
    }

    static func synchronizeDirectory(_ path: String, _ calls: SystemCalls) throws(PairingStoreError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PairingStoreError(errno: errno, "\(path) could not be opened") }
        defer { close(descriptor) }
        guard calls.synchronize(descriptor) else { throw PairingStoreError(errno: errno, "\(path) could not be made durable") }
    }
}

extension PairingStoreError {
    package init(errno: Int32, _ attempt: String) {
        self.init(
            [EACCES, EPERM, EROFS].contains(errno) ? .denied : .failed,
            "\(attempt): \(String(cString: strerror(errno)))"
        )
    }
}
