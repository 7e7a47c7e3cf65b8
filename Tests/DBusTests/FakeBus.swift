import DBus
import Dispatch
import Glibc

/// A socket that isn't a message bus, or a bus that misbehaves: what it says is up to the test, byte for byte.
final class FakeBus: Sendable {
    let address: BusAddress
    private let listener: Int32
    private let directory: String

    /// - Parameters:
    ///   - backlog: Connections that may wait to be accepted.
    ///   - serve: Talks to the first one who connects; runs on a thread of its own. Without it nobody is accepted.
    init(backlog: Int32 = 8, serve: (@Sendable (Peer) -> Void)?) throws {
        var template = Array("\(PrivateBus.temporaryDirectory)/bus-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw PrivateBus.Failure("mkdtemp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = "\(directory)/socket"
        address = .address("unix:path=\(path)")
        listener = Self.socket()
        guard Self.with(path, { bind(listener, $0, $1) }) == 0, listen(listener, backlog) == 0 else { throw PrivateBus.Failure("listen") }
        guard let serve else { return }
        DispatchQueue(label: "fake bus").async { [listener] in
            let peer = accept(listener, nil, nil)
            serve(Peer(socket: peer))
            close(peer)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        unlink("\(directory)/socket")
        rmdir(directory)
    }

    /// Connects to it, so that the backlog fills up.
    func fill() throws -> Int32 {
        let client = Self.socket()
        guard Self.with("\(directory)/socket", { connect(client, $0, $1) }) == 0 else { throw PrivateBus.Failure("connect") }
        return client
    }

    private static func socket() -> Int32 { Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }

    private static func with(_ path: String, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { use($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    /// The client, as the fake bus sees it. All calls block.
    struct Peer {
        let socket: Int32

        func send(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }

        /// Nil at the end.
        func receive(_ count: Int) -> [UInt8]? {
            var bytes: [UInt8] = []
            while bytes.count < count {
                var part = [UInt8](repeating: 0, count: count - bytes.count)
                let got = recv(socket, &part, part.count, 0)
                guard got > 0 else { return nil }
                bytes += part.prefix(got)
            }
            return bytes
        }

        /// Up to and without the end of line.
        func line() -> String? {
            var line: [UInt8] = []
            while let byte = receive(1)?.first {
                if byte == UInt8(ascii: "\n") { return String(decoding: line.dropLast(), as: UTF8.self) }
                if byte != 0 { line.append(byte) }
            }
            return nil
        }

        /// Lets the client in.
        func authenticate() {
            while let line = line(), line != "BEGIN" {
                send(Array((line.hasPrefix("AUTH EXTERNAL") ? "OK 0123456789abcdef0123456789abcdef\r\n" : "AGREE_UNIX_FD\r\n").utf8))
            }
        }

        /// - Returns: The serial number of the next message; nil at the end.
        func message() -> UInt32? {
            guard let start = receive(16) else { return nil }
            func number(at offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(start[offset + $1]) << (8 * $1) } }
            let fields = (number(at: 12) + 7) / 8 * 8
            guard receive(fields + number(at: 4)) != nil else { return nil }
            return UInt32(number(at: 8))
        }

        /// Lets the client in, and answers its Hello.
        func greet(as name: String = ":1.1") {
            authenticate()
            guard let serial = message() else { return }
            send(RawMessage.reply(to: serial, "s", RawMessage.string(name)))
        }
    }
}

/// Messages made by hand.
enum RawMessage {
    static func reply(to serial: UInt32, _ signature: String, _ body: [UInt8]) -> [UInt8] {
        message(type: 2, fields: [(5, "u", little(serial)), (8, "g", self.signature(signature))], body)
    }

    static func error(_ name: String, to serial: UInt32, _ signature: String, _ body: [UInt8]) -> [UInt8] {
        message(type: 3, fields: [(4, "s", string(name)), (5, "u", little(serial)), (8, "g", self.signature(signature))], body)
    }

    static func signal(_ member: String, _ signature: String, _ body: [UInt8], sender: String = ":1.2", type: UInt8 = 4) -> [UInt8] {
        let fields: [(UInt8, String, [UInt8])] = [
            (1, "o", string("/test")), (2, "s", string("test.Object")), (3, "s", string(member)),
            (7, "s", string(sender)), (8, "g", self.signature(signature)),
        ]
        return message(type: type, fields: fields, body)
    }

    static func message(type: UInt8, fields: [(UInt8, String, [UInt8])], _ body: [UInt8]) -> [UInt8] {
        var header: [UInt8] = []
        for (code, type, value) in fields {
            header += [UInt8](repeating: 0, count: (8 - header.count % 8) % 8)
            header += [code] + signature(type) + value  // four bytes, so the value is aligned
        }
        let start = [UInt8(ascii: "l"), type, 0, 1] + little(UInt32(body.count)) + little(7) + little(UInt32(header.count))
        return start + header + [UInt8](repeating: 0, count: (8 - header.count % 8) % 8) + body
    }

    static func little(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    static func string(_ text: String) -> [UInt8] { little(UInt32(text.utf8.count)) + text.utf8 + [0] }

    static func signature(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 + [0] }
}
