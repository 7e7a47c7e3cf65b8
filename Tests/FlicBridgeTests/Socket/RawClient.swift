import FlicSimulator
import FoundationEssentials
import Glibc
import Testing

@testable import FlicBridge

/// A client of a socket as any program could be one: bytes to the daemon, lines from it.
actor RawClient {
    nonisolated let loop: DispatchLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let descriptor: Descriptor
    private var socket: StreamSocket?
    private var buffer = LineBuffer(longestLine: 1 << 24)
    private var lines: [String] = []
    /// Whether the daemon has ended the connection.
    private(set) var isOver = false

    init(_ path: String, on loop: DispatchLoop) throws {
        self.loop = loop
        descriptor = Descriptor(Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        let number = descriptor.number
        try #require(try SocketPlace(path, isShared: false).withAddress { connect(number, $0, $1) } == 0)
    }

    /// Reads from now on.
    func open() {
        socket = StreamSocket(
            descriptor,
            on: loop,
            mostWaiting: 1 << 16,
            received: { [weak self] bytes in self?.assumeIsolated { $0.receive(bytes) } },
            ended: { [weak self] _ in self?.assumeIsolated { $0.isOver = true } }
        )
    }

    private func receive(_ bytes: [UInt8]) {
        buffer.add(bytes)
        while let line = try? buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { socket?.send(bytes) ?? false }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8) + [UInt8(ascii: "\n")]) }

    func pause(_ isPaused: Bool) { socket?.isPaused = isPaused }

    /// Sends nothing more.
    func finish() {
        shutdown(descriptor.number, Int32(SHUT_WR))
        loop.noteTraffic()
    }

    func leave() {
        socket?.close()
        socket = nil
    }

    /// What has come since the last call.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// An answer with a result.
private struct Answer<Result: Decodable>: Decodable {
    let result: Result
}

/// The members of a line that tests look at.
struct Line: Decodable {
    var id: RequestID?
    var result: Value?
    var error: BridgeRefusal?
    var event: String?
    var button: String?
    var name: String?
    var step: String?
    var count: Int?

    /// Of any kind.
    enum Value: Decodable {
        case object, array, text

        init(from decoder: any Decoder) throws {
            if (try? decoder.unkeyedContainer()) != nil {
                self = .array
            } else {
                self = (try? decoder.singleValueContainer().decode(String.self)) != nil ? .text : .object
            }
        }
    }

    init(_ text: String?) throws { self = try JSONDecoder().decode(Self.self, from: Data(try #require(text).utf8)) }

    /// The value of an answer.
    static func result<Result: Decodable>(_ text: String?, as type: Result.Type = Result.self) throws -> Result {
        try JSONDecoder().decode(Answer<Result>.self, from: Data(try #require(text).utf8)).result
    }
}
