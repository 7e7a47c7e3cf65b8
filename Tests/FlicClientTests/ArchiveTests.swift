import FlicProtocol
import Foundation
import Testing

@testable import FlicClient

@Suite("Exported pairings: the format")
struct ArchiveTests {
    private static let passphrase = "correct horse"
    /// Less than a millisecond.
    static let cheap = SealedPairings.Cost(operations: 1, memory: 8192)

    @Test("What was exported comes back, all of it", arguments: [nil, "p", "größer als 👍", String(repeating: "long", count: 50)])
    func roundTrip(passphrase: String?) async throws {
        var records = try await StoreMaterial.records(3)
        records[1].isUnpaired = true
        records[2].wantsConnection = false
        for count in 0...3 {
            let exported = Array(records.prefix(count))
            let data = try await Self.archive(exported, passphrase)
            #expect(try await PairingArchive.records(in: data, passphrase: passphrase) == exported)
        }
    }

    @Test("Plain, the keys can be read; encrypted, nothing can")
    func secrecy() async throws {
        let records = try await StoreMaterial.records(1)
        let key = try #require(records.first).pairing.bytes.withBytes { Hexadecimal.text($0) }
        let encrypted = String(decoding: try await Self.archive(records, Self.passphrase), as: UTF8.self)
        #expect(String(decoding: PairingArchive.plain(records), as: UTF8.self).contains(key))
        for text in [key, records[0].serialNumber, records[0].address.description] { #expect(!encrypted.contains(text)) }
    }

    @Test("No salt and no nonce is used twice")
    func freshness() async throws {
        var seen: Set<String> = []
        for _ in 0..<3 {
            let members = try Self.members(try await Self.archive([], Self.passphrase))
            for name in ["salt", "nonce", "box"] { #expect(seen.insert(members[name] as? String ?? "").inserted) }
        }
    }

    @Test("The file tells what it is, and how its key is derived: three times through 64 MiB")
    func members() async throws {
        let members = try Self.members(try await PairingArchive.encrypted([], passphrase: Self.passphrase))
        #expect(Set(members.keys) == ["format", "version", "kdf", "opslimit", "memlimit", "salt", "nonce", "box"])
        #expect(members["format"] as? String == "flickit-pairings" && members["version"] as? Int == 1 && members["kdf"] as? String == "argon2id")
        #expect(members["opslimit"] as? Int == 3 && members["memlimit"] as? Int == 67_108_864)
    }

    @Test("A plain export is what a store has in its file, but for the number of the save")
    func storeFile() async throws {
        let records = try await StoreMaterial.records(2)
        let directory = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID())", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = FileStore(directory: directory)
        try await store.lock()
        try await store.save(records)
        let file = try Data(contentsOf: directory.appending(path: "buttons.json"))
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n").filter { !$0.contains("\"sequence\" :") }
        #expect(String(decoding: PairingArchive.plain(records), as: UTF8.self).split(separator: "\n") == lines)
        #expect(try await PairingArchive.records(in: file, passphrase: nil) == records)
    }

    @Test("A button that is in it twice, void and paired anew, comes back once", arguments: [true, false])
    func twice(isVoidFirst: Bool) async throws {
        let valid = try #require(try await StoreMaterial.records(1).first)
        var void = valid
        void.isUnpaired = true
        let archive = PairingArchive.plain(isVoidFirst ? [void, valid, void] : [valid, void])
        #expect(try await PairingArchive.records(in: archive, passphrase: nil) == [valid])
        #expect(try await PairingArchive.records(in: PairingArchive.plain([void, void]), passphrase: nil) == [void])
    }

    // MARK: Errors

    @Test("Nothing is encrypted with an empty passphrase")
    func emptyPassphrase() async throws {
        await #expect(throws: PairingArchiveError.self) { try await PairingArchive.encrypted([], passphrase: "") }
    }

    @Test("A wrong passphrase", arguments: ["", "correct hors", "Correct horse", "correct horse ", "correct horse\0"])
    func wrongPassphrase(passphrase: String) async throws {
        let archive = try await Self.archive([], Self.passphrase)
        #expect(await Self.error(archive, passphrase)?.description == "The passphrase is wrong, or the file is damaged.")
    }

    @Test("A passphrase where none is needed, and none where one is")
    func needlessPassphrase() async throws {
        #expect(await Self.error(PairingArchive.plain([]), "x")?.code == .notEncrypted)
        #expect(await Self.error(try await Self.archive([], "x"), nil)?.code == .passphraseNeeded)
    }

    @Test(
        "Each member can be damaged",
        arguments: [
            ("format", #""flickit-pairing""#, PairingArchiveError.Code.damaged), ("format", "1", .damaged), ("version", "0", .damaged),
            ("version", "-1", .damaged), ("version", #""1""#, .damaged), ("version", "2", .newerVersion),
            ("version", "9007199254740993", .newerVersion), ("kdf", #""argon2i""#, .damaged), ("kdf", "1", .damaged),
            ("opslimit", "2", .wrongPassphrase), ("opslimit", #""1""#, .damaged),
            ("memlimit", "16384", .wrongPassphrase), ("memlimit", "[]", .damaged), ("salt", #""AAAAAAAAAAAAAAAAAAAAAA==""#, .wrongPassphrase),
            ("salt", #""""#, .damaged), ("salt", #""AAAA""#, .damaged), ("salt", #""?""#, .damaged),
            ("nonce", #""AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#, .wrongPassphrase), ("nonce", #""AAAA""#, .wrongPassphrase),
            ("nonce", "0", .damaged), ("box", #""AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#, .wrongPassphrase),
            ("box", #""""#, .wrongPassphrase), ("box", #""AAAA""#, .wrongPassphrase), ("box", "{}", .damaged), ("box", #""!""#, .damaged),
        ]
    )
    func damagedMember(name: String, value: String, code: PairingArchiveError.Code) async throws {
        let archive = try await Self.archive([], Self.passphrase)
        #expect(await Self.error(try Self.edited(archive, name, value), Self.passphrase)?.code == code)
    }

    @Test("Each member can be missing", arguments: ["format", "version", "kdf", "opslimit", "memlimit", "salt", "nonce", "box"])
    func missingMember(name: String) async throws {
        let archive = try await Self.archive([], Self.passphrase)
        // Without its format, it is taken for one that is not encrypted.
        for passphrase in name == "format" ? [nil] : [Self.passphrase] {
            #expect(await Self.error(try Self.edited(archive, name, nil), passphrase)?.code == .damaged)
        }
    }

    @Test(
        "What would take too much time or memory is refused, and told",
        arguments: [
            ("opslimit", "0"), ("opslimit", "-1"), ("opslimit", "17"), ("opslimit", "9223372036854775807"), ("memlimit", "0"), ("memlimit", "8191"),
            ("memlimit", "268435457"), ("memlimit", "9223372036854775807"), ("memlimit", "-9223372036854775808"),
        ]
    )
    func costly(name: String, value: String) async throws {
        let archive = try await Self.archive([], Self.passphrase)
        let error = await Self.error(try Self.edited(archive, name, value), Self.passphrase)
        #expect(error?.code == .tooCostly && error?.description.contains(" \(value) ") == true)
    }

    @Test("Each byte of the box, the salt and the nonce counts")
    func everyByte() async throws {
        let archive = try await Self.archive(try await StoreMaterial.records(1), Self.passphrase)
        let members = try Self.members(archive)
        for name in ["salt", "nonce", "box"] {
            let bytes = try #require((members[name] as? String).flatMap { Data(base64Encoded: $0) })
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] ^= 0x40
                let error = await Self.error(try Self.edited(archive, name, "\"\(damaged.base64EncodedString())\""), Self.passphrase)
                #expect(error?.code == .wrongPassphrase, "\(name) \(index)")
            }
        }
    }

    @Test("Cut off anywhere, nothing of it is taken", arguments: [nil, Self.passphrase])
    func truncated(passphrase: String?) async throws {
        let archive = try await Self.archive(try await StoreMaterial.records(1), passphrase)
        for length in 0..<archive.count {
            #expect(await Self.error(archive.prefix(length), passphrase)?.code == .damaged, "\(length) bytes")
        }
    }

    @Test(
        "What is no export",
        arguments: [
            "", " ", "null", "[]", "{}", "1", "\u{FEFF}", "\0", #"{"version":1}"#, #"{"buttons":[]}"#, #"{"version":1,"buttons":{}}"#,
            #"{"version":1,"buttons":[{}]}"#, #"{"version":1,"buttons":[null]}"#, #"{"format":null,"version":1}"#, #"{"version":1e400,"buttons":[]}"#,
        ]
    )
    func noExport(text: String) async {
        #expect(await Self.error(Data(text.utf8), nil)?.code == .damaged)
    }

    @Test("What is no text, nested deeply, or too much of it")
    func noText() async {
        for text in ["[", #"{"version":"#] {
            #expect(await Self.error(Data(String(repeating: text, count: 100_000).utf8), nil)?.code == .damaged)
        }
        #expect(await Self.error(Data([0xFF, 0xFE, 0x00, 0x80]), nil)?.code == .damaged)
        #expect(await Self.error(Data(repeating: UInt8(ascii: " "), count: 16 << 20), nil)?.code == .damaged)
        #expect(await Self.error(Data(repeating: UInt8(ascii: " "), count: 16 << 20 + 1), nil)?.code == .tooLarge)
    }

    @Test("Buttons by a newer version, plain or encrypted; and nonsense that is encrypted well")
    func content() async throws {
        let newer = #"{"version":2,"buttons":[]}"#
        #expect(await Self.error(Data(newer.utf8), nil)?.code == .newerVersion)
        #expect(await Self.error(try Self.sealed(newer), Self.passphrase)?.code == .newerVersion)
        for text in ["", "{}", #"{"version":0,"format":"flickit-pairings"}"#] {
            #expect(await Self.error(try Self.sealed(text), Self.passphrase)?.code == .damaged)
        }
    }

    // MARK: Material

    static func archive(_ records: [ButtonRecord], _ passphrase: String?) async throws -> Data {
        guard let passphrase else { return PairingArchive.plain(records) }
        return try await PairingArchive.encrypted(records, passphrase: passphrase, cost: cheap)
    }

    private static func sealed(_ text: String) throws -> Data {
        try SealedPairings(SecretBytes(text.utf8), passphrase: SecretBytes(passphrase.utf8), cost: cheap).data
    }

    private static func error(_ data: Data, _ passphrase: String?) async -> PairingArchiveError? {
        do throws(PairingArchiveError) {
            _ = try await PairingArchive.records(in: data, passphrase: passphrase)
            return nil
        } catch {
            return error
        }
    }

    private static func members(_ archive: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: archive) as? [String: Any])
    }

    /// With another value of a member, as JSON; nil takes it out.
    private static func edited(_ archive: Data, _ name: String, _ value: String?) throws -> Data {
        var members = try members(archive)
        try #require(members.removeValue(forKey: name) != nil)
        let rest = String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
        return Data(((value.map { "{\"\(name)\":\($0)," } ?? "{") + rest.dropFirst()).utf8)
    }
}
