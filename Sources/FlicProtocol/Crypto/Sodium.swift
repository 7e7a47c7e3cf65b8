import CSodium

/// The primitives of libsodium: those that the protocol uses (protocol 5), and those for passphrases.
package enum Sodium {
    /// Chooses implementations for this processor; needed once before anything else.
    static let isReady: Bool = sodium_init() >= 0

    /// Random bytes for keys and identifiers.
    package static func random(_ count: Int) -> [UInt8] {
        _ = isReady
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let start = buffer.baseAddress { randombytes_buf(start, count) }
            initialized = count
        }
    }

    /// Comparison in constant time.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }

    // MARK: Ed25519

    /// Whether the 64-byte signature over `message` was made with the key that belongs to the 32-byte `publicKey`.
    package static func isValidSignature(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        _ = isReady
        guard signature.count == Int(crypto_sign_BYTES), publicKey.count == Int(crypto_sign_PUBLICKEYBYTES) else { return false }
        return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }

    /// Signs with the key made from a 32-byte seed. Only simulated factories sign; nil if the seed has another length.
    package static func sign(_ message: [UInt8], seed: [UInt8]) -> [UInt8]? {
        guard let (_, secretKey) = signingKeys(seed: seed) else { return nil }
        var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
        return secretKey.withBytes { crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0.baseAddress!) } == 0
            ? signature : nil
    }

    /// The public key made from a 32-byte seed; nil if the seed has another length.
    package static func signingPublicKey(seed: [UInt8]) -> [UInt8]? { signingKeys(seed: seed)?.publicKey }

    private static func signingKeys(seed: [UInt8]) -> (publicKey: [UInt8], secretKey: SecretBytes)? {
        _ = isReady
        guard seed.count == Int(crypto_sign_SEEDBYTES) else { return nil }
        var publicKey = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
        let secretKey = SecretBytes(count: Int(crypto_sign_SECRETKEYBYTES)) {
            _ = crypto_sign_seed_keypair(&publicKey, $0.baseAddress!, seed)
        }
        return (publicKey, secretKey)
    }

    // MARK: X25519

    /// The public key of a 32-byte private key; nil if it has another length.
    package static func publicKey(of privateKey: SecretBytes) -> [UInt8]? {
        _ = isReady
        guard privateKey.count == Int(crypto_scalarmult_SCALARBYTES) else { return nil }
        var publicKey = [UInt8](repeating: 0, count: Int(crypto_scalarmult_BYTES))
        return privateKey.withBytes { crypto_scalarmult_base(&publicKey, $0.baseAddress!) } == 0 ? publicKey : nil
    }

    /// The shared secret; nil for peer keys of low order, which would make it zero (protocol 5.2), or lengths other than 32.
    package static func sharedSecret(privateKey: SecretBytes, peer: [UInt8]) -> SecretBytes? {
        _ = isReady
        guard privateKey.count == Int(crypto_scalarmult_SCALARBYTES), peer.count == Int(crypto_scalarmult_BYTES) else { return nil }
        var isUsable = false
        let shared = SecretBytes(count: Int(crypto_scalarmult_BYTES)) { output in
            isUsable = privateKey.withBytes { crypto_scalarmult(output.baseAddress!, $0.baseAddress!, peer) } == 0
        }
        return isUsable ? shared : nil
    }

    // MARK: SHA-256 and HMAC

    /// SHA-256 of a secret followed by public bytes.
    package static func sha256(_ secret: SecretBytes, _ bytes: [UInt8]) -> SecretBytes {
        _ = isReady
        return SecretBytes(count: Int(crypto_hash_sha256_BYTES)) { output in
            var state = crypto_hash_sha256_state()
            crypto_hash_sha256_init(&state)
            _ = secret.withBytes { crypto_hash_sha256_update(&state, $0.baseAddress!, UInt64($0.count)) }
            crypto_hash_sha256_update(&state, bytes, UInt64(bytes.count))
            crypto_hash_sha256_final(&state, output.baseAddress!)
            sodium_memzero(&state, MemoryLayout.size(ofValue: state))
        }
    }

    /// The first `count` (at most 32) bytes of the HMAC-SHA-256 of `text` followed by `secretText`.
    package static func hmac(key: SecretBytes, _ text: [UInt8], _ secretText: SecretBytes? = nil, count: Int) -> SecretBytes {
        _ = isReady
        return SecretBytes(count: Int(crypto_auth_hmacsha256_BYTES)) { output in
            var state = crypto_auth_hmacsha256_state()
            _ = key.withBytes { crypto_auth_hmacsha256_init(&state, $0.baseAddress!, $0.count) }
            crypto_auth_hmacsha256_update(&state, text, UInt64(text.count))
            _ = secretText?.withBytes { crypto_auth_hmacsha256_update(&state, $0.baseAddress!, UInt64($0.count)) }
            crypto_auth_hmacsha256_final(&state, output.baseAddress!)
            sodium_memzero(&state, MemoryLayout.size(ofValue: state))
        }.prefix(min(max(count, 0), Int(crypto_auth_hmacsha256_BYTES)))
    }
}
