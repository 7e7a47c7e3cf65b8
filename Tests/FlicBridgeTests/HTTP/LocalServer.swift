import Dispatch
import EventLoops
import Glibc
import Synchronization

/// A web server of a test, on the loopback address: it keeps what it was asked, and answers what the test says, be it HTTP or not.
final class LocalServer: Sendable {
    struct Request: Sendable, Equatable {
        let method: String
        let target: String
        /// Names in lower case.
        let headers: [String: String]
        let body: [UInt8]
    }

    /// What a connection does after a request.
    enum Reply: Sendable {
        /// An answer, after which the next request may come.
        case answer(String, headers: [String] = [], body: [UInt8] = [])
        /// These bytes, and then the end.
        case bytes([UInt8])
        /// These bytes, and then nothing.
        case hang([UInt8] = [])
        /// These bytes, and then those again and again until the client closes.
        case flood([UInt8], [UInt8])
    }

    let port: UInt16
    var url: String { "http://127.0.0.1:\(port)" }
    /// What has come, in that order.
    var requests: [Request] { state.requests.withLock { $0 } }
    /// How often a client has closed a connection that had more to say.
    let abandoned: AsyncStream<Void>

    private final class State: Sendable {
        let requests = Mutex<[Request]>([])
        let connections = Mutex(0)
        let abandon: AsyncStream<Void>.Continuation

        init(_ abandon: AsyncStream<Void>.Continuation) { self.abandon = abandon }
    }

    private let state: State
    private let descriptor: Descriptor

    /// How many connections there were.
    var connections: Int { state.connections.withLock { $0 } }

    /// - Parameter reply: Called for each request, with its number from 0.
    init(_ reply: @escaping @Sendable (Request, Int) -> Reply) throws {
        let (abandoned, abandon) = AsyncStream.makeStream(of: Void.self)
        let state = State(abandon)
        self.abandoned = abandoned
        self.state = state
        let descriptor = Descriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        self.descriptor = descriptor
        guard let port = descriptor.listenOnLoopback() else { throw LocalServerError() }
        self.port = port
        DispatchQueue(label: "server").async {
            while true {
                let number = accept(descriptor.number, nil, nil)
                guard number >= 0 else { return }
                state.connections.withLock { $0 += 1 }
                DispatchQueue(label: "connection").async { Self.serve(Descriptor(number), state, reply) }
            }
        }
    }

    deinit { shutdown(descriptor.number, Int32(SHUT_RDWR)) }

    private static func serve(_ descriptor: Descriptor, _ state: State, _ reply: (Request, Int) -> Reply) {
        var bytes: [UInt8] = []
        while true {
            guard let request = next(&bytes, descriptor) else { return }
            let number = state.requests.withLock { requests in
                requests.append(request)
                return requests.count - 1
            }
            switch reply(request, number) {
            case .answer(let status, let headers, let body):
                let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers
                guard descriptor.write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body) else {
                    state.abandon.yield()
                    return
                }
            case .bytes(let bytes):
                _ = descriptor.write(bytes)
                return
            case .hang(let bytes):
                _ = descriptor.write(bytes)
                while let more = descriptor.read(), !more.isEmpty {}
                state.abandon.yield()
                return
            case .flood(let start, let bytes):
                var isOpen = descriptor.write(start)
                while isOpen { isOpen = descriptor.write(bytes) }
                state.abandon.yield()
                return
            }
        }
    }

    /// The next request; nil at the end.
    private static func next(_ bytes: inout [UInt8], _ descriptor: Descriptor) -> Request? {
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
                let words = lines[0].split(separator: " ")
                var headers: [String: String] = [:]
                for line in lines.dropFirst() {
                    let sides = line.split(separator: ":", maxSplits: 1)
                    headers[sides[0].lowercased()] = String(sides.count > 1 ? sides[1].drop { $0 == " " } : "")
                }
                let size = headers["content-length"].flatMap(Int.init) ?? 0
                if bytes.count >= end.upperBound + size, words.count == 3 {
                    let body = Array(bytes[end.upperBound..<end.upperBound + size])
                    bytes.removeFirst(end.upperBound + size)
                    return Request(method: String(words[0]), target: String(words[1]), headers: headers, body: body)
                }
            }
            guard let more = descriptor.read(), !more.isEmpty else { return nil }
            bytes += more
        }
    }
}

struct LocalServerError: Error {}

extension Descriptor {
    /// Binds the socket to a free port of the loopback address.
    func listenOnLoopback() -> UInt16? {
        var address = sockaddr_in.loopback(0)
        var size = socklen_t(MemoryLayout.size(ofValue: address))
        return address.withSocketAddress { place -> Bool in
            bind(number, place, size) == 0 && listen(number, 16) == 0 && getsockname(number, place, &size) == 0
        } ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Connects to a port of the loopback address.
    static func connected(to port: UInt16) -> Descriptor? {
        let descriptor = Descriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_in.loopback(port)
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        return address.withSocketAddress { connect(descriptor.number, $0, size) } == 0 ? descriptor : nil
    }

    /// Writes all of it.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits for bytes: none at the end, nil if the connection was lost.
    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(number, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    /// Waits for all bytes up to the end.
    func readAll() -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = read(), !bytes.isEmpty { all += bytes }
        return all
    }
}

extension sockaddr_in {
    fileprivate static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    fileprivate mutating func withSocketAddress<Result>(_ body: (UnsafeMutablePointer<sockaddr>) -> Result) -> Result {
        withUnsafeMutableBytes(of: &self) { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self)) }
    }
}
