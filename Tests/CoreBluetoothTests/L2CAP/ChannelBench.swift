import BlueZ
import EventLoops
import GATT

@testable import CoreBluetooth

/// A channel, the socket at its other end, and a program that hears of its events.
final class ChannelBench: @unchecked Sendable {
    /// Nil once the program has let it go.
    private(set) var channel: CBL2CAPChannel?
    let socket: L2CAPSocket
    let input: InputStream
    let output: OutputStream
    private let loop = DispatchLoop(label: "socket")
    let far: Descriptor
    let program = StreamProgram()

    init?(sendMTU: Int = 64) {
        guard let (near, far) = PacketSocket.pair() else { return nil }
        self.far = Descriptor(far)
        let address = BluetoothAddress(value: 0x00AA_0101_0001)
        socket = L2CAPSocket(Descriptor(near), psm: 0x80, peer: address, receiveMTU: 2048, sendMTU: sendMTU, on: loop)
        let channel = CBL2CAPChannel(socket: socket, psm: socket.psm, peer: CBPeer(identifier: UUID()))
        self.channel = channel
        input = channel.inputStream
        output = channel.outputStream
        input.delegate = program
        output.delegate = program
    }

    /// Schedules and opens both streams, as programs do.
    func open(on ground: Ground) {
        for stream in [input, output] as [Stream] { ground.schedule(stream) }
        input.open()
        output.open()
    }

    func release() { channel = nil }

    /// Returns when the socket has told what it has to tell.
    func settle() async {
        await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
    }

    func write(_ bytes: [UInt8]) -> Int { output.write(bytes, maxLength: bytes.count) }

    func read(_ size: Int = 1000) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size)
        let count = input.read(&bytes, maxLength: size)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    // MARK: The other end

    func sendFar(_ packet: [UInt8]) -> Bool { send(far.number, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count }

    /// Waits for the next packet: empty at the end.
    func receiveFar() -> [UInt8] {
        var packet = [UInt8](repeating: 0, count: 4096)
        var state = pollfd(fd: far.number, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, 30_000) == 1 else { return [] }
        let count = recv(far.number, &packet, packet.count, 0)
        return Array(packet.prefix(max(count, 0)))
    }

    /// Waits for room, and sends one packet.
    ///
    /// - Returns: How many bytes.
    func sendFarWaiting(_ bytes: [UInt8]) -> Int {
        var state = pollfd(fd: far.number, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, 30_000) == 1 else { return -1 }
        return send(far.number, bytes, min(bytes.count, 2048), Int32(MSG_NOSIGNAL))
    }

    func endFar() { shutdown(far.number, Int32(SHUT_RDWR)) }
}

/// Hears of events; what it does about them is up to the test.
final class StreamProgram: NSObject, StreamDelegate, @unchecked Sendable {
    struct Call: Equatable, CustomStringConvertible {
        let isInput: Bool
        let event: Stream.Event

        var description: String {
            let names: [(Stream.Event, String)] = [
                (.openCompleted, "open"), (.hasBytesAvailable, "bytes"), (.hasSpaceAvailable, "space"), (.endEncountered, "end"),
                (.errorOccurred, "error"),
            ]
            return "\(isInput ? "input" : "output") \(names.first { $0.0 == event }?.1 ?? "?")"
        }
    }

    let calls: AsyncStream<Call>
    private let heard: AsyncStream<Call>.Continuation
    /// What the program does, in the call.
    var act: (Stream, Stream.Event) -> Void = { _, _ in }

    override init() {
        (calls, heard) = AsyncStream.makeStream()
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        act(stream, event)
        heard.yield(Call(isInput: stream is InputStream, event: event))
    }

    func next(_ count: Int) async -> [String] {
        await calls.prefix(count).reduce(into: []) { $0.append($1.description) }
    }
}

/// Where events are told.
final class Ground: @unchecked Sendable {
    enum Kind: CaseIterable {
        case mainQueue
        case thread
    }

    let runLoop: RunLoop
    /// Ends when the run loop of the thread has nothing to wait for any more.
    let ends: AsyncStream<Void>

    init(_ kind: Kind) async {
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        self.ends = ends
        switch kind {
        case .mainQueue:
            runLoop = .main
            ended.finish()
        case .thread:
            let box = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let runLoop = RunLoop.current
                    // Keeps the run loop until something is scheduled.
                    let stay = Timer(fire: .distantFuture, interval: 1, repeats: false) { _ in }
                    runLoop.add(stay, forMode: .default)
                    continuation.resume(returning: Box(runLoop: runLoop, stay: stay))
                    runLoop.run()
                    ended.finish()
                }
            }
            runLoop = box.runLoop
            self.stay = box.stay
        }
    }

    private var stay: Timer?

    private struct Box: @unchecked Sendable {
        let runLoop: RunLoop
        let stay: Timer
    }

    func schedule(_ stream: Stream) {
        stream.schedule(in: runLoop, forMode: .default)
        stay?.invalidate()
        stay = nil
    }

    /// Runs `work` where events are told, after those that are under way.
    func run(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            let place = ScheduledRunLoop(runLoop, .default)
            place.perform {
                work()
                place.end()
                continuation.resume()
            }
        }
    }
}
