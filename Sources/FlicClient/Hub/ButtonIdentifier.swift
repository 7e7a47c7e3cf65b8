import FlicProtocol
import FoundationEssentials
import GATT

/// Identifiers that are the same for a button and a machine, and tell neither (contract B40).
///
/// The contract speaks of UUIDs of version 5. Those are made with SHA-1, which no library at hand has; RFC 9562 gives names
/// hashed with anything else version 8.
package enum ButtonIdentifier {
    /// The machine id of the system; empty where there is none, and identifiers then depend on the button alone.
    static var systemMachineIdentity: String {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            guard let data = try? Data(contentsOf: URL(filePath: path)), data.count < 256 else { continue }
            let text = String(decoding: data, as: UTF8.self).filter(\.isHexDigit)
            if !text.isEmpty { return text }
        }
        return ""
    }

    /// A name of this machine for others, which does not tell its identity (machine-id(5)): 12 hexadecimal digits.
    ///
    /// - Parameter purpose: Names for different purposes have nothing in common.
    package static func machineName(for purpose: String) -> String {
        Sodium.hmac(key: SecretBytes("flickit \(purpose)".utf8), Array(systemMachineIdentity.utf8), count: 6).withBytes { Hexadecimal.text($0) }
    }

    static func make(machine: String, address: BluetoothAddress) -> UUID {
        let key = SecretBytes("flickit button identifier".utf8)
        let name = Array("\(machine)/\(address.kind.rawValue)/\(address)".utf8)
        var bytes = Sodium.hmac(key: key, name, count: 16).withBytes { Array($0) }
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }
}
