import BlueZ
import EventLoops
import GATT

/// L2CAP channels: listeners on the adapter's own address, and what they have accepted (contract D.8).
extension PeripheralDesk {
    /// A published channel.
    struct ChannelListener {
        let listener: L2CAPListener
        /// Where it listens; if the adapter is another one later, nobody will come.
        let address: BluetoothAddress
        /// Open channels. They are the program's; here they are known only to be closed with the listener.
        var sockets: [WeakSocket] = []
    }

    /// A socket that somebody else keeps.
    struct WeakSocket {
        weak var socket: L2CAPSocket?
    }

    func publishChannel(requiresEncryption: Bool) {
        guard let address = transport({ $0.address }) else { return tell(.channelPublished(0, Refusal(.unknown))) }
        do throws(L2CAPError) {
            let listener = try L2CAPListener(address: address, requiresEncryption: requiresEncryption) { [weak self, loop] socket in
                loop.execute { [weak self] in self?.assumeIsolated { $0.opened(socket) } }
            } failed: { [weak self, loop] error in
                loop.execute { [weak self] in self?.assumeIsolated { $0.failed(error) } }
            }
            listeners[listener.psm] = ChannelListener(listener: listener, address: address)
            tell(.channelPublished(listener.psm, nil))
        } catch {
            log("no channel is published: \(error)")
            tell(.channelPublished(0, Refusal(error)))
        }
    }

    func unpublishChannel(_ psm: CBL2CAPPSM) {
        guard listeners[psm] != nil else { return tell(.channelUnpublished(psm, Refusal(.invalidParameters))) }
        close(psm)
        tell(.channelUnpublished(psm, nil))
    }

    private func close(_ psm: CBL2CAPPSM) {
        guard let channel = listeners.removeValue(forKey: psm) else { return }
        channel.listener.close()
        for open in channel.sockets { open.socket?.close() }
    }

    private func opened(_ socket: L2CAPSocket) {
        guard listeners[socket.psm] != nil else { return socket.close() }  // unpublished meanwhile
        listeners[socket.psm]?.sockets.removeAll { $0.socket == nil }
        listeners[socket.psm]?.sockets.append(WeakSocket(socket: socket))
        tell(.channelOpened(socket, socket.psm))
    }

    private func failed(_ error: L2CAPError) {
        log("a channel could not be opened: \(error)")
        tell(.channelFailed(Refusal(error)))
    }

    // MARK: Adapters

    /// Listeners stay through power cycles and restarts of bluetoothd. Those of an adapter that is not in use any more are of no use
    /// (contract D108).
    func checkListeners() {
        let address = transport { $0.address }
        abandonListeners { $0.address != address }
    }

    /// There is no adapter any more.
    func abandonListeners() { abandonListeners { _ in true } }

    private func abandonListeners(_ isUseless: (ChannelListener) -> Bool) {
        for (psm, channel) in listeners.sorted(by: { $0.key < $1.key }) where isUseless(channel) {
            close(psm)
            tell(.channelUnpublished(psm, Refusal(.unknown)))
        }
    }
}
