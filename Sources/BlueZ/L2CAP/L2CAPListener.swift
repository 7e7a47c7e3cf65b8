import EventLoops
package import GATT
import Glibc

/// Waits for centrals that open L2CAP channels (contract D100 to D104). Needs no privileges and nothing of bluetoothd.
///
/// It goes on while the adapter is off, with the same number, and is of no use any more when the adapter is gone (contract D108). It closes itself when
/// it is released; channels that it has accepted stay open.
package final class L2CAPListener: Sendable {
    /// Channels that wait to be accepted.
    private static let backlog: Int32 = 16

    /// The number that the kernel gave, 0x80 to 0xFF.
    package let psm: UInt16
    private let acceptor: Acceptor

    /// - Parameters:
    ///   - address: The adapter's own, as it is: numbers count per address, and at a wildcard the number could be another program's.
    ///   - requiresEncryption: Links have to be encrypted, which means paired, or the channel is refused.
    ///   - accepted: A channel, on a queue of the listener's own.
    ///   - failed: No more channels can be accepted, for the time being or at all, on the same queue.
    package init(
        address: BluetoothAddress,
        requiresEncryption: Bool,
        accepted: @escaping @Sendable (L2CAPSocket) -> Void,
        failed: @escaping @Sendable (L2CAPError) -> Void
    ) throws(L2CAPError) {
        let descriptor = try Descriptor.l2cap(at: address, requiresEncryption: requiresEncryption)
        guard listen(descriptor.number, Self.backlog) == 0 else { throw L2CAPError.last("listen") }
        let psm = try descriptor.psm()
        self.psm = psm
        let loop = DispatchLoop(label: "flickit.l2cap.listener")
        acceptor = Acceptor(
            descriptor,
            on: loop,
            accepted: { connection in
                // One that is gone already is not worth a word.
                guard let peer = connection.peer(), let mtus = try? connection.mtus() else { return }
                accepted(L2CAPSocket(connection, psm: psm, peer: peer, receiveMTU: mtus.receive, sendMTU: mtus.send))
            },
            failed: { failed(.failed(call: "accept", errno: $0)) }
        )
    }

    /// Nothing is accepted any more.
    package func close() { acceptor.close() }
}
