import Glibc

/// The file of a recording: new, private, bounded, and never ending in half a line unless the process is killed while writing.
struct TraceFile: ~Copyable {
    /// What becomes of lines.
    enum Outcome {
        case written
        /// They would not fit.
        case full
        case failed(TraceError)
    }

    private let path: String
    private let descriptor: Int32
    private let limit: Int
    private let calls: SystemCalls
    /// Bytes in the file.
    private(set) var size = 0

    /// Makes a file of mode 0600 that must not exist.
    init(creating path: String, limit: Int, _ calls: SystemCalls) throws(TraceError) {
        descriptor = calls.open(path, O_CREAT | O_EXCL | O_WRONLY)
        guard descriptor >= 0 else { throw TraceError(errno: errno, path) }
        self.path = path
        self.limit = limit
        self.calls = calls
    }

    deinit { close(descriptor) }

    /// Writes whole lines. They survive the process; the machine they survive when the system has written them back.
    mutating func append(_ bytes: [UInt8]) -> Outcome {
        guard size + bytes.count <= limit else { return .full }
        guard calls.write(bytes, at: size, to: descriptor) else {
            let error = TraceError(errno: errno, path)
            _ = ftruncate(descriptor, off_t(size))
            return .failed(error)
        }
        size += bytes.count
        return .written
    }
}
