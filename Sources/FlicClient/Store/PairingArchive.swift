import Dispatch
import FlicProtocol
public import FoundationEssentials
import GATT

/// Pairings outside of a store: on their way to another machine, or kept for the day on which this one fails.
///
/// Encrypted, it is a JSON object with the members `format` (`flickit-pairings`), `version` (1), `kdf` (`argon2id`, version 1.3),
/// `opslimit`, `memlimit` (bytes), `salt`, `nonce` and `box` (base64). The box is an XSalsa20-Poly1305 secretbox of libsodium; in it
/// are the buttons as ``FileStore`` writes them. Plain, it is that content alone, so the `buttons.json` of a store is one, too.
///
/// The functions may be called from anywhere; what takes time is done on a queue of their own.
public enum PairingArchive {
    /// The largest archive that is read, in bytes.
    package static let largestSize = FileStore.largestFile

    /// Encrypts pairings. Takes 64 MiB of memory and a fraction of a second; a few seconds on a small computer.
    ///
    /// - Parameters:
    ///   - records: What is exported, for example what ``PairingStore/load()`` has returned.
    ///   - passphrase: Counts as its bytes in UTF-8. Not empty.
    /// - Returns: Text in UTF-8.
    /// - Throws: ``PairingArchiveError`` `emptyPassphrase` or `outOfMemory`.
    public static func encrypted(_ records: [ButtonRecord], passphrase: String) async throws(PairingArchiveError) -> Data {
        try await encrypted(records, passphrase: passphrase, cost: .standard)
    }

    static func encrypted(_ records: [ButtonRecord], passphrase: String, cost: SealedPairings.Cost) async throws(PairingArchiveError) -> Data {
        guard !passphrase.isEmpty else { throw PairingArchiveError(.emptyPassphrase, "The passphrase is empty.") }
        let passphrase = SecretBytes(passphrase.utf8)
        return try await onQueue { () throws(PairingArchiveError) in
            try SealedPairings(SecretBytes(StoredButtons.bytes(of: records)), passphrase: passphrase, cost: cost).data
        }
    }

    /// Pairings with the **secrets readable** in them: who can read the data can pretend to be this machine, and the button. Keep them
    /// where nobody else reads.
    ///
    /// - Returns: Text in UTF-8.
    public static func plain(_ records: [ButtonRecord]) -> Data { Data(StoredButtons.bytes(of: records)) }

    /// Reads what the other functions have made. The data may be anything, and from anybody: nothing but an error comes of it.
    ///
    /// - Parameters:
    ///   - data: At most 16 MiB. What asks for more than 256 MiB of memory, or for going through it more than 16 times, is refused.
    ///   - passphrase: nil if the pairings are not encrypted. With a passphrase they have to be: so nobody can slip in others.
    /// - Throws: ``PairingArchiveError``.
    public static func records(in data: Data, passphrase: String?) async throws(PairingArchiveError) -> [ButtonRecord] {
        let passphrase = passphrase.map { SecretBytes($0.utf8) }
        return try await onQueue { () throws(PairingArchiveError) in
            guard data.count <= largestSize else { throw PairingArchiveError(.tooLarge, "The file is larger than 16 MiB.") }
            guard let sealed = try SealedPairings(in: data) else {
                guard passphrase == nil else {
                    throw PairingArchiveError(.notEncrypted, "The file is not encrypted, but a passphrase was given for it.")
                }
                return try records(inPlain: data)
            }
            guard let passphrase else { throw PairingArchiveError(.passphraseNeeded, "The file is encrypted, and needs its passphrase.") }
            return try records(inPlain: try sealed.opened(with: passphrase).withBytes { Data($0) })
        }
    }

    private static func records(inPlain data: Data) throws(PairingArchiveError) -> [ButtonRecord] {
        let records: [ButtonRecord]
        do {
            records = try StoredButtons.records(in: data).records
        } catch let error as PairingStoreError where error.code == .newerVersion {
            throw PairingArchiveError(.newerVersion, error.description)
        } catch {
            throw .damaged
        }
        // Each button once: a store may have a void record beside that of the pairing anew.
        let valid = Set(records.filter { !$0.isUnpaired }.map(\.address))
        var seen: Set<BluetoothAddress> = []
        return records.filter { (!$0.isUnpaired || !valid.contains($0.address)) && seen.insert($0.address).inserted }
    }

    /// Not the caller's: deriving a key is no reason to keep events waiting. One at a time, so that the memory is needed only once.
    private static let queue = DispatchQueue(label: "flickit.archive")

    private static func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(PairingArchiveError) -> Value
    ) async throws(PairingArchiveError) -> Value {
        let result: Result<Value, PairingArchiveError> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result { () throws(PairingArchiveError) in try work() }) }
        }
        return try result.get()
    }
}

extension PairingArchiveError {
    static let damaged = PairingArchiveError(.damaged, "These are no exported pairings, or they are damaged.")
}
