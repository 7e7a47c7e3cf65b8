import Foundation

/// A server that says something to whoever comes and hangs up; one that has nothing to say does not hang up either.
final class TalkingServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init(_ text: String) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 5) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw Mosquitto.Failure(description: "no port") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                if text.isEmpty { continue }
                _ = text.withCString { send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
                close(client)
            }
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
