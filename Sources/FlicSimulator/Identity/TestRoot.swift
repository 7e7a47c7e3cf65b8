import FlicProtocol

/// The root of trust of all simulated buttons.
///
/// Its private half is published with the test vectors, so that anybody can make "genuine" buttons. Accept it in tests and demonstrations only.
public enum TestRoot {
    /// The Ed25519 public key, 32 bytes: what a client has to trust in order to accept simulated buttons.
    public static let publicKey: [UInt8] = Sodium.signingPublicKey(seed: seed) ?? []

    package static let seed = Array("flickit-test-root-key-0000-0001!".utf8)
}
