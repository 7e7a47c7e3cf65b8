/// What a session begins with: who the other side has to be, random bytes, and what is known of the button.
extension HostSession {
    /// Who the other side has to be.
    package struct Peer: Equatable, Sendable {
        /// Address of the device on the link; six bytes, least significant first.
        package var address: [UInt8]
        /// Ed25519 key that has to have signed the button's certificate.
        package var root: [UInt8]
        /// How it numbers and frames its packets.
        package var dialect: Dialect

        package init(address: [UInt8], root: [UInt8], dialect: Dialect = .flic2) {
            self.address = address
            self.root = root
            self.dialect = dialect
        }
    }

    /// Random bytes, fresh for each session.
    package struct Randomness: Sendable {
        package var temporaryID: UInt32
        /// X25519 private key, 32 bytes.
        package var privateKey: SecretBytes
        /// Eight bytes.
        package var fullVerify: [UInt8]
        /// Seven bytes.
        package var quickVerify: [UInt8]

        package init(temporaryID: UInt32, privateKey: SecretBytes, fullVerify: [UInt8], quickVerify: [UInt8]) {
            self.temporaryID = temporaryID
            self.privateKey = privateKey
            self.fullVerify = fullVerify
            self.quickVerify = quickVerify
        }

        /// From libsodium's generator.
        package static func fresh() -> Randomness {
            Randomness(
                temporaryID: Sodium.random(4).reduce(0) { $0 << 8 | UInt32($1) },
                privateKey: SecretBytes(Sodium.random(32)),
                fullVerify: Sodium.random(8),
                quickVerify: Sodium.random(7)
            )
        }
    }

    /// What the client knows of a paired button.
    package struct Memory: Equatable, Sendable {
        package var pairing: Pairing
        package var position: EventPosition
        package var firmwareVersion: UInt32
        package var name: ButtonName
        package var pendingRename: Rename?
        /// Advertising has been configured for the boot id in `position`.
        package var isAdvertisingConfigured: Bool
        /// The button has shown itself to be a Flic Duo.
        package var isDuo: Bool

        package init(
            pairing: Pairing,
            position: EventPosition,
            firmwareVersion: UInt32,
            name: ButtonName = ButtonName(""),
            pendingRename: Rename? = nil,
            isAdvertisingConfigured: Bool = false,
            isDuo: Bool = false
        ) {
            self.pairing = pairing
            self.position = position
            self.firmwareVersion = firmwareVersion
            self.name = name
            self.pendingRename = pendingRename
            self.isAdvertisingConfigured = isAdvertisingConfigured
            self.isDuo = isDuo
        }
    }
}
