import Fixtures
import Synchronization

@testable import BlueZ

/// Sends pseudo-random bytes through a channel, and checks those that come.
final class Pump: Sendable {
    private let socket: L2CAPSocket
    private let total: Int
    private let state: Mutex<State>

    fileprivate struct State {
        var random: Random
        var outgoing: ByteSequence
        var incoming: ByteSequence
        /// Made, but not taken yet.
        var waiting: ArraySlice<UInt8> = []
        var sent = 0
        var received = 0
    }

    /// - Parameters:
    ///   - socket: Not started yet.
    ///   - seed: Of the bytes that are sent.
    ///   - expecting: Of those that come.
    ///   - total: How many, each way.
    init(_ socket: L2CAPSocket, seed: UInt64, expecting: UInt64, total: Int) {
        self.socket = socket
        self.total = total
        state = Mutex(State(random: Random(seed: seed), outgoing: ByteSequence(seed: seed), incoming: ByteSequence(seed: expecting)))
    }

    /// The number of bytes that came as they should, before all were there and sent, a wrong one, or the end.
    func run() async -> Int {
        let (events, heard) = AsyncStream.makeStream(of: L2CAPSocket.Event.self)
        socket.start { heard.yield($0) }
        state.withLock { $0.write(socket, total) }
        for await event in events {
            let isDone = state.withLock { state in
                if event == .room { state.write(socket, total) }
                let isRight = state.read(socket)
                return !isRight || socket.isDrained || state.received >= total && state.sent == total
            }
            if isDone { break }
        }
        return state.withLock { $0.received }
    }
}

extension Pump.State {
    fileprivate mutating func write(_ socket: L2CAPSocket, _ total: Int) {
        while socket.hasRoom, sent < total {
            if waiting.isEmpty { waiting = outgoing.next(min(Int.random(in: 1...4000, using: &random), total - sent))[...] }
            let count = waiting.withUnsafeBytes { socket.write($0) }
            waiting.removeFirst(count)
            sent += count
        }
    }

    /// Returns whether all were right.
    fileprivate mutating func read(_ socket: L2CAPSocket) -> Bool {
        while socket.hasBytes {
            let bytes = [UInt8](unsafeUninitializedCapacity: Int.random(in: 1...3000, using: &random)) { buffer, count in
                count = socket.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            guard bytes == incoming.next(bytes.count) else { return false }
            received += bytes.count
        }
        return true
    }
}
