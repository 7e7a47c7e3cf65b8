import BlueZ
import Foundation

/// What goes to the other end of an L2CAP channel (contract D105).
///
/// All members may be used from any thread.
final class ChannelOutputStream: OutputStream {
    /// How long ``write(_:maxLength:)`` waits for room.
    static let patience = Duration.seconds(30)

    private let socket: L2CAPSocket
    private let side: StreamSide
    private let patience: Duration

    /// - Parameter closed: The program has closed the stream; called once.
    init(_ socket: L2CAPSocket, patience: Duration = patience, closed: @escaping @Sendable () -> Void) {
        self.socket = socket
        self.patience = patience
        side = StreamSide(closed: closed)
        super.init(toMemory: ())  // there is none without a target
        side.belong(to: self)
    }

    /// Not for channels: bytes would go nowhere.
    required init(toMemory: ()) { fatalError("A stream of an L2CAP channel is made by its channel.") }

    /// What the socket has to tell goes here.
    var hears: @Sendable (L2CAPSocket.Event) -> Void {
        { [weak side = side, weak socket = socket] event in
            guard let side, let socket else { return }
            if event == .room { side.tell(.hasSpaceAvailable) }
            if socket.isBroken { side.end(socket.failure) }
            side.stir()
        }
    }

    private func noteMore() {
        if socket.hasRoom { side.tell(.hasSpaceAvailable) }
        if socket.isBroken { side.end(socket.failure) }
    }

    /// Lets bytes be written. ``Stream/Event/openCompleted`` follows.
    override func open() {
        if side.open() { noteMore() }
    }

    /// Ends waiting calls and events. The socket is closed with the second of the channel's streams (contract D106); what was written is still sent.
    override func close() { side.close() }

    /// Writes up to `maxLength` bytes: as many as there is room for. Without room it waits for some; after 30 s without any the stream fails with
    /// `ETIMEDOUT`.
    ///
    /// - Returns: How many; -1 after the end or an error, and if the stream is not open.
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength: Int) -> Int {
        guard maxLength > 0 else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: buffer, count: maxLength)
        let count = side.wait(patience: patience) { [socket] in
            let count = socket.write(bytes)
            return count > 0 || socket.isBroken ? count : nil
        }
        if count == nil { side.end(.timedOut) }
        if count != nil { noteMore() }
        return if let count, count > 0 { count } else { -1 }
    }

    /// Whether ``write(_:maxLength:)`` takes something at once.
    override var hasSpaceAvailable: Bool { side.isOpen && socket.hasRoom }

    /// ``Stream/Status/atEnd`` once the other end has closed the channel.
    override var streamStatus: Status { side.currentStatus }

    /// Of `NSPOSIXErrorDomain`, as that of the channel's other stream.
    override var streamError: (any Error)? { side.currentError }

    /// Hears of events in the run loops that the stream is scheduled in. Held weakly.
    override var delegate: (any StreamDelegate)? {
        get { side.currentDelegate }
        set { side.currentDelegate = newValue }
    }

    /// Has events told in this run loop. Those of the main run loop come by the main queue, with `dispatchMain()`, too, and in all common modes.
    override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) { side.schedule(in: runLoop, forMode: mode) }

    /// Ends what ``schedule(in:forMode:)`` began.
    override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) { side.remove(from: runLoop, forMode: mode) }

    /// There are no properties: nil.
    override func property(forKey key: PropertyKey) -> AnyObject? { nil }

    /// There are no properties: false.
    override func setProperty(_ property: AnyObject?, forKey key: PropertyKey) -> Bool { false }
}
