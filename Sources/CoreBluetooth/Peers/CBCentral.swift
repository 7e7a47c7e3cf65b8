import EventLoops
import GATT

/// A central that has connected to this peripheral (contract D96).
///
/// One object stands for one central while it is connected. All members may be used from any thread.
///
/// `@unchecked Sendable`: what changes is locked.
open class CBCentral: CBPeer, @unchecked Sendable {
    /// The least MTU of a link, and the bytes of it that a notification needs for itself (Bluetooth Core, Vol 3, Part F, 3.4.7.1).
    private static let leastMTU = 23
    private static let header = 3

    let address: BluetoothAddress
    private let mtu: Locked<Int>

    /// - Parameter mtu: Of the link, in bytes.
    init(address: BluetoothAddress, mtu: Int) {
        self.address = address
        self.mtu = Locked(mtu)
        super.init(identifier: Self.identifier(of: address))
    }

    /// How many bytes a notification or indication to this central can have: what its link takes, at most 512. It may grow.
    open var maximumUpdateValueLength: Int {
        min(max(mtu.withLock { $0 }, Self.leastMTU) - Self.header, LocalCharacteristic.longestValue)
    }

    /// The MTU of the link is now this.
    func learn(mtu: Int) { self.mtu.withLock { $0 = mtu } }

    /// The same for a central everywhere, as long as it keeps its address: private addresses change, and the identifier with them.
    ///
    /// The contract speaks of UUIDs of version 5. Those are made with SHA-1, which no library at hand has; RFC 9562 gives what is made
    /// in another way version 8. The address can be read from it: a prefix, the kind of the address, and its 48 bits.
    private static func identifier(of address: BluetoothAddress) -> UUID {
        let kind = address.kind.rawValue
        let bits = Array(address.wireBytes.reversed())
        return UUID(uuid: (0xF1, 0x1C, 0xCE, 0x27, 0x5A, 0x1D, 0x80, 0x00, 0x80, kind, bits[0], bits[1], bits[2], bits[3], bits[4], bits[5]))
    }
}
