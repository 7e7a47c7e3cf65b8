public import FlicClient
package import FlicProtocol
public import GATT

/// What the factory burns into a button and nothing can change: address, keys, certificate, uuid and serial number.
public struct ButtonIdentity: Sendable {
    /// The public Bluetooth address.
    public let address: BluetoothAddress
    /// 16 bytes; apps show them as 32 hexadecimal digits.
    public let uuid: [UInt8]
    /// Printed inside the battery hatch, 11 characters.
    public let serialNumber: String
    /// What kind of device it is.
    public var product = FlicProduct.flic2
    /// Colour of the casing, as newer firmware tells it; nil for firmware that does not.
    public var color: String?

    /// X25519 key of the button.
    package let privateKey: SecretBytes
    /// Address and public key, with the signature as the factory made it.
    package let certificate: ButtonCertificate
    /// The two bits of the signature that are never sent: a secret of those who have checked it (protocol 5.1).
    package let hiddenBits: UInt8

    /// A button from the records of a factory.
    package init(uuid: [UInt8], serialNumber: String, privateKey: SecretBytes, certificate: ButtonCertificate, hiddenBits: UInt8) {
        address = BluetoothAddress(wireBytes: certificate.address) ?? BluetoothAddress(value: 0)
        self.uuid = uuid
        self.serialNumber = serialNumber
        self.privateKey = privateKey
        self.certificate = certificate
        self.hiddenBits = hiddenBits
    }

    /// A button that clients trusting ``TestRoot`` take for genuine. Equal seeds make equal buttons.
    ///
    /// - Parameters:
    ///   - seed: Everything follows from it.
    ///   - address: The button's address; nil for one that follows from the seed, with the vendor's prefix 80:E4:DA.
    ///   - product: What kind of device it is.
    public static func make(seed: UInt64, address: BluetoothAddress? = nil, product: FlicProduct = .flic2) -> ButtonIdentity {
        func bytes(_ label: String) -> SecretBytes {
            let seed = (0..<8).map { UInt8(truncatingIfNeeded: seed >> (8 * $0)) }
            return Sodium.sha256(SecretBytes(seed), Array(label.utf8))
        }
        func openBytes(_ label: String, _ count: Int) -> [UInt8] { bytes(label).withBytes { Array($0.prefix(count)) } }

        let number = openBytes("address", 3).reduce(0) { $0 << 8 | UInt64($1) }
        let address = address ?? BluetoothAddress(value: 0x80E4_DA00_0000 | number)
        let privateKey = bytes("private key")
        var certificate = ButtonCertificate(
            address: address.wireBytes,
            addressType: address.kind.rawValue,
            publicKey: Sodium.publicKey(of: privateKey) ?? [],
            signature: []
        )
        certificate.signature = Sodium.sign(certificate.signedMessage, seed: TestRoot.seed) ?? []
        let digits = String(number % 100_000)
        var identity = ButtonIdentity(
            uuid: openBytes("uuid", 16),
            serialNumber: "\(product.letter)C00-A" + String(repeating: "0", count: 5 - digits.utf8.count) + digits,
            privateKey: privateKey,
            certificate: certificate,
            hiddenBits: (certificate.signature.count == 64 ? certificate.signature[32] : 0) & 0b11
        )
        identity.product = product
        return identity
    }
}

extension FlicProduct {
    /// With which the serial numbers of such devices begin.
    fileprivate var letter: String {
        switch self {
        case .flic2: "B"
        case .duo: "D"
        case .twist: "T"
        }
    }
}
