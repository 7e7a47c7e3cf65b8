import BlueZ
import Synchronization

/// A channel of bytes that a central has opened (contract D104).
///
/// The program opens its two streams, and keeps the channel as long as it needs it: it ends when both streams are closed, and when this object is
/// released (contract D106). All members may be used from any thread.
///
/// The end of a channel need not be the end of what was to be sent: Linux (seen in 6.1) now and then loses count of a channel's credits under
/// load and closes it as if the other end had. What came until then is right. Let what you send say itself where it ends.
open class CBL2CAPChannel: NSObject {
    private let socket: L2CAPSocket
    private let streams: (input: ChannelInputStream, output: ChannelOutputStream)

    /// - Parameter socket: Not started yet.
    init(socket: L2CAPSocket, psm: CBL2CAPPSM, peer: CBPeer) {
        self.socket = socket
        self.psm = psm
        self.peer = peer
        let open = Atomic(2)
        let closed: @Sendable () -> Void = {
            if open.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { socket.close() }
        }
        streams = (ChannelInputStream(socket, closed: closed), ChannelOutputStream(socket, closed: closed))
        let (input, output) = (streams.input.hears, streams.output.hears)
        socket.start { event in
            input(event)
            output(event)
        }
    }

    deinit { socket.close() }

    /// Who has opened it: a ``CBCentral``.
    open private(set) var peer: CBPeer!

    /// What comes from the central.
    open var inputStream: InputStream! { streams.input }

    /// What goes to the central.
    open var outputStream: OutputStream! { streams.output }

    /// The number that was published.
    open private(set) var psm: CBL2CAPPSM
}
