import CSodium

/// Encryption with a passphrase: Argon2id and XSalsa20-Poly1305.
extension Sodium {
    package static let passphraseSaltSize = Int(crypto_pwhash_SALTBYTES)
    package static let boxNonceSize = Int(crypto_secretbox_NONCEBYTES)
    /// Below this, in bytes, Argon2id does not work.
    package static let leastPassphraseMemory = Int(crypto_pwhash_MEMLIMIT_MIN)

    /// The 32-byte key of a passphrase by Argon2id 1.3. Takes its time, on purpose.
    ///
    /// - Parameters:
    ///   - salt: 16 bytes.
    ///   - operations: How often the memory is gone through.
    ///   - memory: Bytes.
    /// - Returns: nil if the memory is not to be had, or a parameter is out of range.
    package static func key(passphrase: SecretBytes, salt: [UInt8], operations: Int, memory: Int) -> SecretBytes? {
        _ = isReady
        guard salt.count == passphraseSaltSize, operations > 0, memory >= leastPassphraseMemory else { return nil }
        var isUsable = false
        let key = SecretBytes(count: Int(crypto_secretbox_KEYBYTES)) { output in
            isUsable = passphrase.withBytes { passphrase in
                passphrase.withMemoryRebound(to: CChar.self) {
                    crypto_pwhash(
                        output.baseAddress!,
                        UInt64(output.count),
                        $0.baseAddress!,
                        UInt64($0.count),
                        salt,
                        UInt64(operations),
                        memory,
                        crypto_pwhash_ALG_ARGON2ID13
                    )
                } == 0
            }
        }
        return isUsable ? key : nil
    }

    /// Encrypts and authenticates. A key must never see the same 24-byte nonce twice.
    ///
    /// - Returns: nil if the key or the nonce has another length.
    package static func seal(_ content: SecretBytes, nonce: [UInt8], key: SecretBytes) -> [UInt8]? {
        _ = isReady
        guard nonce.count == boxNonceSize, key.count == Int(crypto_secretbox_KEYBYTES) else { return nil }
        var box = [UInt8](repeating: 0, count: content.count + Int(crypto_secretbox_MACBYTES))
        let result = content.withBytes { content in
            key.withBytes { crypto_secretbox_easy(&box, content.baseAddress!, UInt64(content.count), nonce, $0.baseAddress!) }
        }
        return result == 0 ? box : nil
    }

    /// What was sealed; nil unless box, nonce and key are those of the sealing.
    package static func open(_ box: [UInt8], nonce: [UInt8], key: SecretBytes) -> SecretBytes? {
        _ = isReady
        let contentSize = box.count - Int(crypto_secretbox_MACBYTES)
        guard contentSize >= 0, nonce.count == boxNonceSize, key.count == Int(crypto_secretbox_KEYBYTES) else { return nil }
        var isGenuine = false
        let content = SecretBytes(count: contentSize) { output in
            isGenuine =
                key.withBytes { crypto_secretbox_open_easy(output.baseAddress!, box, UInt64(box.count), nonce, $0.baseAddress!) } == 0
        }
        return isGenuine ? content : nil
    }
}
