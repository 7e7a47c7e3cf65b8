import BlueZ
import Fixtures
import Foundation
import GATT
import Synchronization
import Testing

@testable import CoreBluetooth

/// A listener on one adapter, which advertises, and what it has accepted.
final class ChannelStage: Sendable {
    static let listening = BluetoothAddress("00:AA:01:00:00:00")!
    static let connecting = BluetoothAddress("00:AA:01:01:00:01")!

    private let peripheral = BlueZPeripheral(session: Rig.session("hci0"))
    private let listener: L2CAPListener
    private let advertisement: AdvertisementID
    private let accepted: AsyncStream<L2CAPSocket>
    private let tally = Tally()

    private final class Tally: Sendable {
        let accepted = Mutex(0)
        let failures = Mutex<[L2CAPError]>([])
    }

    init(requiresEncryption: Bool = false) async throws {
        let (accepted, came) = AsyncStream.makeStream(of: L2CAPSocket.self)
        self.accepted = accepted
        let tally = tally
        listener = try L2CAPListener(
            address: Self.listening,
            requiresEncryption: requiresEncryption,
            accepted: { socket in
                tally.accepted.withLock { $0 += 1 }
                came.yield(socket)
            },
            failed: { error in tally.failures.withLock { $0.append(error) } }
        )
        let (results, result) = AsyncStream.makeStream(of: (any Error)?.self)
        let peripheral = peripheral
        let (events, heard) = AsyncStream.makeStream(of: PeripheralEvent.self)
        await peripheral.start { heard.yield($0) }
        for await case .state(.poweredOn) in events { break }
        var content = LocalAdvertisement()
        content.name = "Channels"
        advertisement = await peripheral.advertise(content) { result.yield($0) }
        for await error in results {
            if let error { throw error }
            break
        }
    }

    var psm: UInt16 { listener.psm }
    var acceptedCount: Int { tally.accepted.withLock { $0 } }
    var failures: [L2CAPError] { tally.failures.withLock { $0 } }

    func closeListener() { listener.close() }

    func end() async {
        listener.close()
        await peripheral.stopAdvertising(advertisement)
    }

    /// Opens a channel.
    ///
    /// - Returns: Its ends at the listener and at the central.
    func channels() async throws -> (near: OpenChannel, far: OpenChannel) {
        let far = try await L2CAPSocket.connect(to: Self.listening, psm: psm, from: Self.connecting)
        let near = try #require(await accepted.first { _ in true })
        #expect(near.peer == Self.connecting && near.psm == psm && near.receiveMTU == 2048 && near.sendMTU == 2048)
        return (OpenChannel(near), OpenChannel(far))
    }
}

/// A channel with open streams, which other threads wait at.
final class OpenChannel: @unchecked Sendable {
    private let channel: CBL2CAPChannel
    private let sent = Mutex(0)

    init(_ socket: L2CAPSocket) {
        channel = CBL2CAPChannel(socket: socket, psm: socket.psm, peer: CBCentral(address: socket.peer, mtu: 23))
        input.open()
        output.open()
    }

    var input: InputStream { channel.inputStream }
    var output: OutputStream { channel.outputStream }

    func close() {
        input.close()
        output.close()
    }

    /// Sends bytes to the other end.
    ///
    /// - Parameter isSlow: They are read only when no more can be sent.
    /// - Returns: How many came as they should.
    func transfer(_ total: Int, to other: OpenChannel, isSlow: Bool = false) async -> Int {
        let start = ContinuousClock.now
        defer {
            if total >= 1_000_000 { Rig.note("\(total) bytes, \(isSlow ? "read slowly" : "read at once"): \(start.duration(to: .now))") }
        }
        async let count = send(total)
        let received = await other.receive(total) { [self] in
            guard isSlow else { return }
            var before = -1
            while true {
                let now = sent.withLock { $0 }
                if now == before || now == total { return }
                before = now
                Thread.sleep(forTimeInterval: 0.2)
            }
        }
        return await count == total ? received : -1
    }

    /// - Returns: How many bytes were taken.
    func send(_ total: Int) async -> Int {
        await Self.onThread { [self] in
            var sequence = ByteSequence(seed: 1)
            sent.withLock { $0 = 0 }
            while case let sent = self.sent.withLock({ $0 }), sent < total {
                var bytes = sequence.next(min(5000, total - sent))[...]
                while !bytes.isEmpty {
                    let count = bytes.withUnsafeBufferPointer { output.write($0.baseAddress!, maxLength: $0.count) }
                    guard count > 0 else { return self.sent.withLock { $0 } }
                    bytes.removeFirst(count)
                    self.sent.withLock { $0 += count }
                }
            }
            return total
        }
    }

    /// - Parameter pause: Before every 250,000 bytes.
    /// - Returns: How many bytes came as they should, before all were there, a wrong one, or the end.
    func receive(_ total: Int, pause: @escaping @Sendable () -> Void = {}) async -> Int {
        await Self.onThread { [self] in
            var sequence = ByteSequence(seed: 1)
            var received = 0
            var mark = 0
            var buffer = [UInt8](repeating: 0, count: 1500)
            while received < total {
                if received >= mark {
                    pause()
                    mark += 250_000
                }
                let count = input.read(&buffer, maxLength: min(buffer.count, total - received))
                guard count > 0, Array(buffer.prefix(count)) == sequence.next(count) else { break }
                received += count
            }
            return received
        }
    }

    /// What comes until the end, or an error.
    func readToEnd() async -> [UInt8] {
        await Self.onThread { [self] in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1500)
            while case let count = input.read(&buffer, maxLength: buffer.count), count > 0 { bytes += buffer.prefix(count) }
            return bytes
        }
    }

    private static func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }
}
