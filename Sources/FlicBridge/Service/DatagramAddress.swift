import CSockets
import EventLoops
import Glibc

/// A Unix socket to which datagrams are sent, by its path, or by its abstract name after `@` (unix(7)).
struct DatagramAddress: Sendable, Equatable {
    private let name: [UInt8]

    /// Nil if there can be no such socket.
    init?(_ text: String) {
        var name = Array(text.utf8)
        guard let first = name.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), name.count > 1 else { return nil }
        if first == UInt8(ascii: "@") { name[0] = 0 }
        // A path has a zero behind it.
        guard name.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path), !name.dropFirst().contains(0) else { return nil }
        self.name = name
    }

    /// Sends a datagram without waiting.
    ///
    /// - Returns: 0, or the number of the error; `EAGAIN` if the other end has no room.
    func send(_ bytes: [UInt8]) -> Int32 {
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { return errno }
        let descriptor = Descriptor(number)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count + (name[0] == 0 ? 0 : 1)
        let count = withUnsafeBytes(of: &address) { place in
            sendto(
                descriptor.number,
                bytes,
                bytes.count,
                Int32(MSG_NOSIGNAL),
                place.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(size)
            )
        }
        return count < 0 ? errno : 0
    }
}
