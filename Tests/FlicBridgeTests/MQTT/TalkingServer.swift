import Foundation
import Glibc

/// A server for whoever comes.
final class TalkingServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    /// One that says something and hangs up; if it has nothing to say it does not hang up either.
    convenience init(_ text: String) throws {
        try self.init { client in
            if text.isEmpty { return }
            Self.send(Array(text.utf8), to: client)
            close(client)
        }
    }

    /// One that hears the first packet of each client, which has less than 1000 bytes, and answers. After that it says nothing, nor hangs up.
    convenience init(answering answer: @escaping @Sendable (_ heard: [UInt8]) -> [UInt8]) throws {
        try self.init { client in
            var bytes = [UInt8](repeating: 0, count: 1000)
            let count = recv(client, &bytes, bytes.count, 0)
            if count > 0 { Self.send(answer(Array(bytes[..<count])), to: client) }
        }
    }

    private init(_ serve: @escaping @Sendable (_ client: Int32) -> Void) throws {
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
                serve(client)
            }
        }
    }

    private static func send(_ bytes: [UInt8], to client: Int32) {
        _ = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
