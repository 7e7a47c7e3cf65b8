import FoundationEssentials
import Glibc

/// The system calls by which files are changed. Tests let them fail one by one.
struct SystemCalls: Sendable {
    /// Asked before each call, by its name. An error number lets the call fail with that, without having done anything.
    var failure: @Sendable (String) -> Int32? = { _ in nil }
    /// How many bytes are written at a time.
    var largestWrite = 1 << 20

    private func make(_ name: String, _ call: () -> Int) -> Int {
        if let error = failure(name) {
            errno = error
            return -1
        }
        return call()
    }

    func open(_ path: String, _ flags: Int32) -> Int32 {
        Int32(truncatingIfNeeded: make("open") { Int(Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)) })
    }

    func rename(_ old: String, _ new: String) -> Bool { make("rename") { Int(Glibc.rename(old, new)) } == 0 }

    func link(_ old: String, _ new: String) -> Bool { make("link") { Int(Glibc.link(old, new)) } == 0 }

    func unlink(_ path: String) -> Bool { make("unlink") { Int(Glibc.unlink(path)) } == 0 }

    func synchronize(_ descriptor: Int32) -> Bool { make("fsync") { Int(fsync(descriptor)) } == 0 }

    /// Writes all bytes, from an offset on.
    func write(_ bytes: [UInt8], at offset: Int = 0, to descriptor: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let size = min(bytes.count - written, largestWrite)
            let count = make("pwrite") {
                bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress! + written, size, off_t(offset + written)) }
            }
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Reads up to a number of bytes, from an offset on; nil if that fails.
    func read(_ descriptor: Int32, at offset: Int = 0, upTo limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let count = pread(descriptor, &buffer, min(buffer.count, limit - bytes.count), off_t(offset + bytes.count))
            if count > 0 {
                bytes.append(contentsOf: buffer[0..<count])
            } else if count == 0 {
                break
            } else if errno != EINTR {
                return nil
            }
        }
        return bytes
    }
}
