import BlueZ
import Foundation

/// What comes from the other end of an L2CAP channel (contract D105).
///
/// All members may be used from any thread.
final class ChannelInputStream: InputStream {
    private let socket: L2CAPSocket
    private let side: StreamSide

    /// - Parameter closed: The program has closed the stream; called once.
    init(_ socket: L2CAPSocket, closed: @escaping @Sendable () -> Void) {
        self.socket = socket
        side = StreamSide(closed: closed)
        super.init(data: Data())  // there is none without a source
        side.belong(to: self)
    }

    /// What the socket has to tell goes here.
    var hears: @Sendable (L2CAPSocket.Event) -> Void {
        { [weak side = side, weak socket = socket] event in
            guard let side, let socket else { return }
            if event == .bytes { side.tell(.hasBytesAvailable) }
            Self.noteEnd(socket, side)
            side.stir()
        }
    }

    /// Nothing more comes, and everything has been read.
    private static func noteEnd(_ socket: L2CAPSocket, _ side: StreamSide) {
        if socket.isDrained { side.end(socket.failure) }
    }

    private func noteMore() {
        if socket.hasBytes { side.tell(.hasBytesAvailable) }
        Self.noteEnd(socket, side)
    }

    /// Lets bytes be read. ``Stream/Event/openCompleted`` follows.
    override func open() {
        if side.open() { noteMore() }
    }

    /// Ends waiting calls and events. The socket is closed with the second of the channel's streams (contract D106).
    override func close() { side.close() }

    /// Reads up to `maxLength` bytes, and waits until there are any, the end, or ``close()``.
    ///
    /// - Returns: How many; 0 at the end; -1 after an error, and if the stream is not open.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        guard maxLength > 0 else { return 0 }
        let target = UnsafeMutableRawBufferPointer(start: buffer, count: maxLength)
        let count = side.wait { [socket] in
            let count = socket.read(into: target)
            return count > 0 || socket.isDrained ? count : nil
        }
        if count != nil { noteMore() }
        if let count, count > 0 { return count }
        return side.currentStatus == .atEnd ? 0 : -1
    }

    /// Bytes cannot be looked at without being read: false.
    override func getBuffer(_ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>) -> Bool { false }

    /// Whether ``read(_:maxLength:)`` has something to return at once.
    override var hasBytesAvailable: Bool { side.isOpen && socket.hasBytes }

    /// ``Stream/Status/atEnd`` once the other end has closed the channel and all was read.
    override var streamStatus: Status { side.currentStatus }

    /// Of `NSPOSIXErrorDomain`: `ECONNABORTED` if Bluetooth was switched off (contract D108), `ETIMEDOUT` if the other device is out of range.
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
