// Packets that open a logical connection, pair, and verify a pairing (protocol 4.2).

/// Starts a pairing, or the test whether a pairing is really gone. Sent with connection id 0.
package struct FullVerifyRequest1: Packet {
    package static let opcode: UInt8 = 0
    package static let direction = Direction.toButton
    package static let signing = Signing.never

    package var tmpID: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("tmp_id", &tmpID, bits: 32)
    }
}

/// The certificate, the public key and the connection id of the button.
package struct FullVerifyResponse1: Packet {
    package static let opcode: UInt8 = 0
    package static let direction = Direction.fromButton
    package static let signing = Signing.never

    package var tmpID: UInt32 = 0
    package var signature: [UInt8] = []
    package var address: [UInt8] = []
    package var addressType: UInt8 = 0
    package var publicKey: [UInt8] = []
    package var buttonRandom: [UInt8] = []
    package var linkIsEncrypted = false
    package var isInPublicMode = false
    package var hasBondInfo = false
    package var reserved: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("tmp_id", &tmpID, bits: 32)
        coder.bytes("signature", &signature, count: 64)
        coder.bytes("address", &address, count: 6)
        coder.integer("address_type", &addressType, bits: 8)
        coder.bytes("ecdh_public_key", &publicKey, count: 32)
        coder.bytes("button_random", &buttonRandom, count: 8)
        coder.flag("link_is_encrypted", &linkIsEncrypted)
        coder.flag("is_in_public_mode", &isInPublicMode)
        coder.flag("has_bond_info", &hasBondInfo)
        coder.integer("rfu", &reserved, bits: 5)
    }
}

/// Key agreement, client's half.
package struct FullVerifyRequest2WithoutAppToken: Packet {
    package static let opcode: UInt8 = 2
    package static let direction = Direction.toButton
    package static let signing = Signing.never

    package var publicKey: [UInt8] = []
    package var clientRandom: [UInt8] = []
    package var signatureVariant: UInt8 = 0
    package var encryptionVariant: UInt8 = 0
    package var mustValidateAppToken = false
    package var supportsDuo = false
    package var verifier: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.bytes("ecdh_public_key", &publicKey, count: 32)
        coder.bytes("client_random", &clientRandom, count: 8)
        coder.integer("signature_variant", &signatureVariant, bits: 3)
        coder.integer("encryption_variant", &encryptionVariant, bits: 3)
        coder.flag("must_validate_app_token", &mustValidateAppToken)
        coder.flag("supports_duo", &supportsDuo)
        coder.bytes("verifier", &verifier, count: 16)
    }
}

/// The same for apps that hold a credential for a branded button.
package struct FullVerifyRequest2WithAppToken: Packet {
    package static let opcode: UInt8 = 1
    package static let direction = Direction.toButton
    package static let signing = Signing.never

    package var publicKey: [UInt8] = []
    package var clientRandom: [UInt8] = []
    package var signatureVariant: UInt8 = 0
    package var encryptionVariant: UInt8 = 0
    package var mustValidateAppToken = false
    package var supportsDuo = false
    package var encryptedAppToken: [UInt8] = []
    package var verifier: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.bytes("ecdh_public_key", &publicKey, count: 32)
        coder.bytes("client_random", &clientRandom, count: 8)
        coder.integer("signature_variant", &signatureVariant, bits: 3)
        coder.integer("encryption_variant", &encryptionVariant, bits: 3)
        coder.flag("must_validate_app_token", &mustValidateAppToken)
        coder.flag("supports_duo", &supportsDuo)
        coder.bytes("encrypted_app_token", &encryptedAppToken, count: 16)
        coder.bytes("verifier", &verifier, count: 16)
    }
}

/// Proof of the session key, and who the button is.
package struct FullVerifyResponse2: Packet {
    package static let opcode: UInt8 = 1
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var appCredentialsMatch = false
    package var caresAboutAppCredentials = false
    package var isDuo = false
    package var reserved: UInt8 = 0
    package var uuid: [UInt8] = []
    package var nameLength: UInt8 = 0
    package var name: [UInt8] = []
    package var firmwareVersion: UInt32 = 0
    package var batteryLevel: UInt16 = 0
    package var serialNumber: [UInt8] = []
    package var color: [UInt8]?

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.flag("app_credentials_match", &appCredentialsMatch)
        coder.flag("cares_about_app_credentials", &caresAboutAppCredentials)
        coder.flag("is_duo", &isDuo)
        coder.integer("rfu", &reserved, bits: 5)
        coder.bytes("button_uuid", &uuid, count: 16)
        coder.integer("name_len", &nameLength, bits: 8)
        coder.bytes("name", &name, count: 23)
        coder.integer("firmware_version", &firmwareVersion, bits: 32)
        coder.integer("battery_level", &batteryLevel, bits: 16)
        coder.bytes("serial_number", &serialNumber, count: 11)
        coder.optionalBytes("color", &color, count: 16)
    }
}

/// The pairing is refused.
package struct FullVerifyFailResponse: Packet {
    package static let opcode: UInt8 = 3
    package static let direction = Direction.fromButton
    package static let signing = Signing.never

    package var reason: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("reason", &reason, bits: 8)
    }
}

/// Gives the connection id back during verification.
package struct FullVerifyAbortInd: Packet {
    package static let opcode: UInt8 = 3
    package static let direction = Direction.toButton
    package static let signing = Signing.never

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// Too many clients; concerns those whose id is listed.
package struct NoLogicalConnectionSlotsInd: Packet {
    package static let opcode: UInt8 = 2
    package static let direction = Direction.fromButton
    package static let signing = Signing.never

    package var tmpIDs: [TemporaryID] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.list("tmp_ids", &tmpIDs)
    }
}

/// Opens a session with a stored pairing. Sent with connection id 0.
package struct QuickVerifyRequest: Packet {
    package static let opcode: UInt8 = 5
    package static let direction = Direction.toButton
    package static let signing = Signing.never

    package var clientRandom: [UInt8] = []
    package var signatureVariant: UInt8 = 0
    package var encryptionVariant: UInt8 = 0
    package var supportsDuo = false
    package var reserved: UInt8 = 0
    package var tmpID: UInt32 = 0
    package var pairingIdentifier: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.bytes("client_random", &clientRandom, count: 7)
        coder.integer("signature_variant", &signatureVariant, bits: 3)
        coder.integer("encryption_variant", &encryptionVariant, bits: 3)
        coder.flag("supports_duo", &supportsDuo)
        coder.integer("rfu", &reserved, bits: 1)
        coder.integer("tmp_id", &tmpID, bits: 32)
        coder.integer("pairing_identifier", &pairingIdentifier, bits: 32)
    }
}

/// The button knows the pairing.
package struct QuickVerifyResponse: Packet {
    package static let opcode: UInt8 = 8
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var buttonRandom: [UInt8] = []
    package var tmpID: UInt32 = 0
    package var linkIsEncrypted = false
    package var hasBondInfo = false
    package var isDuo = false
    package var reserved: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.bytes("button_random", &buttonRandom, count: 8)
        coder.integer("tmp_id", &tmpID, bits: 32)
        coder.flag("link_is_encrypted", &linkIsEncrypted)
        coder.flag("has_bond_info", &hasBondInfo)
        coder.flag("is_duo", &isDuo)
        coder.integer("rfu", &reserved, bits: 5)
    }
}

/// The button says it does not know the pairing. Unsigned: test it (protocol 5.3).
package struct QuickVerifyNegativeResponse: Packet {
    package static let opcode: UInt8 = 6
    package static let direction = Direction.fromButton
    package static let signing = Signing.never

    package var tmpID: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("tmp_id", &tmpID, bits: 32)
    }
}

/// Asks for a proof that the pairing is gone.
package struct TestIfReallyUnpairedRequest: Packet {
    package static let opcode: UInt8 = 4
    package static let direction = Direction.toButton
    package static let signing = Signing.never

    package var publicKey: [UInt8] = []
    package var clientRandom: [UInt8] = []
    package var pairingIdentifier: UInt32 = 0
    package var pairingToken: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.bytes("ecdh_public_key", &publicKey, count: 32)
        coder.bytes("client_random", &clientRandom, count: 8)
        coder.integer("pairing_identifier", &pairingIdentifier, bits: 32)
        coder.bytes("pairing_token", &pairingToken, count: 16)
    }
}

/// The proof.
package struct TestIfReallyUnpairedResponse: Packet {
    package static let opcode: UInt8 = 4
    package static let direction = Direction.fromButton
    package static let signing = Signing.never

    package var result: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.bytes("result", &result, count: 16)
    }
}
