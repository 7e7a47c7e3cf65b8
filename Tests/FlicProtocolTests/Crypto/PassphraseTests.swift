import Fixtures
import FlicProtocol
import Testing

@Suite("Encryption with a passphrase")
struct PassphraseTests {
    private static let salt = [UInt8](0..<16)
    private static let nonce = [UInt8](hex: "69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37")!
    private static let key = SecretBytes([UInt8](hex: "1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389")!)
    private static let content = SecretBytes("pairings".utf8)
    private static let box = [UInt8](hex: "6ce1cce85249aa7c818da5356cb11c8840ff0d281d8787d5")!

    @Test(
        "The keys are those of another implementation of Argon2id",
        arguments: [
            (3, 65_536, "a1dc6a57c61d5fb470584e24085ea3216fd369c61bcd5f845745f9cb0ed02fca"),
            (1, 8192, "3bfa796a86260b73457e1290b51695931a17e266f601d0fb45563e282fb6865b"),
        ]
    )
    func knownKeys(operations: Int, memory: Int, key: String) {
        let made = Sodium.key(passphrase: SecretBytes("correct horse".utf8), salt: Self.salt, operations: operations, memory: memory)
        #expect(made?.revealed == key)
    }

    @Test("No key for parameters out of range", arguments: [(16, 0, 8192), (16, -1, 8192), (16, 1, 8191), (16, 1, -1), (15, 1, 8192), (0, 1, 8192)])
    func noKey(saltSize: Int, operations: Int, memory: Int) {
        let salt = [UInt8](repeating: 1, count: saltSize)
        #expect(Sodium.key(passphrase: SecretBytes("x".utf8), salt: salt, operations: operations, memory: memory) == nil)
    }

    @Test("A passphrase may be empty, or have zeros in it: all of its bytes count")
    func passphrases() {
        let keys = [[], [0], [0, 0], [1], [1, 0]].map {
            Sodium.key(passphrase: SecretBytes($0), salt: Self.salt, operations: 1, memory: 8192)?.revealed
        }
        #expect(!keys.contains(nil) && Set(keys).count == 5)
    }

    @Test("A box is that of another implementation, and opens again")
    func box() {
        #expect(Sodium.seal(Self.content, nonce: Self.nonce, key: Self.key) == Self.box)
        #expect(Sodium.open(Self.box, nonce: Self.nonce, key: Self.key) == Self.content)
        let empty = Sodium.seal(SecretBytes([]), nonce: Self.nonce, key: Self.key)
        #expect(empty?.count == 16 && Sodium.open(empty ?? [], nonce: Self.nonce, key: Self.key)?.count == 0)
    }

    @Test("A box does not open if a bit of it is another, or if it is cut off")
    func damagedBox() {
        for index in Self.box.indices {
            for bit in 0..<8 {
                var box = Self.box
                box[index] ^= 1 << bit
                #expect(Sodium.open(box, nonce: Self.nonce, key: Self.key) == nil)
            }
            #expect(Sodium.open(Array(Self.box[..<index]), nonce: Self.nonce, key: Self.key) == nil)
        }
    }

    @Test("Nonces and keys of other lengths are refused", arguments: [(23, 32), (25, 32), (24, 31), (24, 33), (0, 32), (24, 0)])
    func lengths(nonceSize: Int, keySize: Int) {
        let nonce = [UInt8](repeating: 0, count: nonceSize)
        let key = SecretBytes([UInt8](repeating: 0, count: keySize))
        #expect(Sodium.seal(Self.content, nonce: nonce, key: key) == nil)
        #expect(Sodium.open(Self.box, nonce: nonce, key: key) == nil)
    }
}
