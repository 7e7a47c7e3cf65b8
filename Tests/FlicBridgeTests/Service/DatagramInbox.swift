import EventLoops
import FoundationEssentials
import Glibc

/// A socket of a test that takes datagrams, at a path or an abstract name.
final class DatagramInbox: Sendable {
    /// As in `NOTIFY_SOCKET`.
    let name: String
    private let descriptor: Descriptor

    init(isAbstract: Bool = false) throws {
        name = isAbstract ? "@flickit-\(UUID().uuidString)" : "\(FileManager.default.temporaryDirectory.path)/flickit-\(UUID().uuidString)"
        descriptor = Descriptor(socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count + (isAbstract ? 0 : 1)
        let result = withUnsafeBytes(of: &address) {
            bind(descriptor.number, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(size))
        }
        guard result == 0 else { throw DatagramInboxError(number: errno) }
    }

    deinit { unlink(name) }

    /// What has come since the last call.
    func take() -> [[UInt8]] {
        var all: [[UInt8]] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count >= 0 else { return all }
            all.append(Array(buffer.prefix(count)))
        }
    }

    func takeText() -> [String] { take().map { String(decoding: $0, as: UTF8.self) } }
}

struct DatagramInboxError: Error {
    let number: Int32
}
