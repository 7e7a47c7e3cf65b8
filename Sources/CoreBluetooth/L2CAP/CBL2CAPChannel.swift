/// A channel that a central has opened.
open class CBL2CAPChannel: NSObject {
    private let streams: (input: InputStream, output: OutputStream)

    init(psm: CBL2CAPPSM, peer: CBPeer, inputStream: InputStream, outputStream: OutputStream) {
        self.psm = psm
        self.peer = peer
        streams = (inputStream, outputStream)
    }

    /// Who has opened it.
    open private(set) var peer: CBPeer!

    /// What comes from the central.
    open var inputStream: InputStream! { streams.input }

    /// What goes to the central.
    open var outputStream: OutputStream! { streams.output }

    /// The number that was published.
    open private(set) var psm: CBL2CAPPSM
}
