import FlicProtocol

/// Whose buttons are genuine.
struct TrustedRoots: Sendable {
    /// Takes the place of all of the vendor's keys; nil outside of tests and demonstrations.
    var test: [UInt8]?

    /// The Ed25519 key that has to have signed the certificate of such a device (protocol 5.1, 14.1).
    subscript(product: FlicProduct) -> [UInt8] {
        if let test { return test }
        return switch product {
        case .flic2, .duo: VendorRoot.flic2
        case .twist: VendorRoot.twist
        }
    }
}
