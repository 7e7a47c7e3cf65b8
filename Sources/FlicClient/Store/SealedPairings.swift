import FlicProtocol
import FoundationEssentials

/// The encrypted form of a ``PairingArchive``: versioned JSON.
struct SealedPairings: Codable {
    static let format = "flickit-pairings"
    static let currentVersion = 1
    static let kdf = "argon2id"

    /// What it costs to try a passphrase.
    struct Cost {
        var operations: Int
        /// Bytes.
        var memory: Int

        /// The operations of libsodium's "moderate", but the memory of its "interactive": the 256 MiB of the former are more than half of
        /// what a Raspberry Pi Zero has.
        static let standard = Cost(operations: 3, memory: 64 << 20)

        /// What a file may ask for. The upper ends leave room for stronger exports, and are still bearable on a small computer.
        static let operations = 1...16
        static let memory = Sodium.leastPassphraseMemory...256 << 20
    }

    private struct Header: Decodable {
        var format: String?
        var version: Int
    }

    var format = Self.format
    var version = Self.currentVersion
    var kdf = Self.kdf
    var opslimit: Int
    var memlimit: Int
    var salt: Data
    var nonce: Data
    var box: Data

    init(_ content: SecretBytes, passphrase: SecretBytes, cost: Cost) throws(PairingArchiveError) {
        opslimit = cost.operations
        memlimit = cost.memory
        salt = Data(Sodium.random(Sodium.passphraseSaltSize))
        nonce = Data(Sodium.random(Sodium.boxNonceSize))
        box = Data()
        guard let key = key(of: passphrase), let sealed = Sodium.seal(content, nonce: Array(nonce), key: key) else { throw .outOfMemory(memlimit) }
        box = Data(sealed)
    }

    /// - Returns: nil if the data are in no encrypted form.
    init?(in data: Data) throws(PairingArchiveError) {
        let decoder = JSONDecoder()
        guard let header = try? decoder.decode(Header.self, from: data), header.version > 0 else { throw .damaged }
        guard let format = header.format else { return nil }
        guard format == Self.format else { throw .damaged }
        guard header.version <= Self.currentVersion else {
            throw PairingArchiveError(.newerVersion, "The pairings were exported by a newer version of this program (format \(header.version)).")
        }
        guard let sealed = try? decoder.decode(Self.self, from: data), sealed.kdf == Self.kdf else { throw .damaged }
        self = sealed
    }

    var data: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Nothing in the structure can fail to be encoded.
        return (try? encoder.encode(self)) ?? Data()
    }

    func opened(with passphrase: SecretBytes) throws(PairingArchiveError) -> SecretBytes {
        try check(opslimit, Cost.operations, "operations")
        try check(memlimit, Cost.memory, "bytes of memory")
        guard salt.count == Sodium.passphraseSaltSize else { throw .damaged }
        guard let key = key(of: passphrase) else { throw .outOfMemory(memlimit) }
        guard let content = Sodium.open(Array(box), nonce: Array(nonce), key: key) else {
            throw PairingArchiveError(.wrongPassphrase, "The passphrase is wrong, or the file is damaged.")
        }
        return content
    }

    private func check(_ value: Int, _ range: ClosedRange<Int>, _ unit: String) throws(PairingArchiveError) {
        guard !range.contains(value) else { return }
        throw PairingArchiveError(
            .tooCostly,
            "The file asks for \(value) \(unit) to derive its key; from \(range.lowerBound) to \(range.upperBound) are allowed."
        )
    }

    private func key(of passphrase: SecretBytes) -> SecretBytes? {
        Sodium.key(passphrase: passphrase, salt: Array(salt), operations: opslimit, memory: memlimit)
    }
}

extension PairingArchiveError {
    fileprivate static func outOfMemory(_ size: Int) -> PairingArchiveError {
        PairingArchiveError(.outOfMemory, "There is not enough memory to derive the key; it takes \(size) bytes.")
    }
}
