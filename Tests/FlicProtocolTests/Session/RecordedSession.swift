import Fixtures
import FlicProtocol
import Testing

/// A session of the `transcript-*.json` files, recorded between an official client and a simulated button.
struct RecordedSession: CustomTestStringConvertible, Sendable {
    static let all: [RecordedSession] = ["full-verify", "quick-verify", "queued-events", "unpaired"].flatMap { file in
        let document = JSONValue.vectors("transcript-\(file)")
        return document.sessions.array.map { RecordedSession(file: file, root: document.test_root_public.bytes!, json: $0) }
    }

    let file: String
    let root: [UInt8]
    let json: JSONValue

    var testDescription: String { "\(file): \(json.name.string ?? "")" }

    var steps: [JSONValue] { json.steps.array }
    var strictUntil: Int { Int(json.strict_until.unsigned!) }
    var isPyflic: Bool { json.client.string == "pyflic-ble" }

    /// The secrets of the attempt; those of the Quick Verify and of the test are kept apart in the file.
    private var quick: JSONValue { json.secrets.quick.isNull ? json.secrets : json.secrets.quick }
    private var full: JSONValue { json.secrets.test.isNull ? json.secrets : json.secrets.test }

    var sessionKey: SecretBytes? { json.secrets.session_key.bytes.map { SecretBytes($0) } }

    var random: HostSession.Randomness {
        HostSession.Randomness(
            temporaryID: UInt32(quick.tmp_id.unsigned!),
            privateKey: SecretBytes(full.client_private.bytes ?? [UInt8](repeating: 0, count: 32)),
            fullVerify: full.client_random.bytes ?? [],
            quickVerify: quick.client_random.bytes ?? []
        )
    }

    var flags: UInt8 {
        let recorded = UInt8(quick.flags.unsigned ?? 0)
        return recorded == 0 ? 0 : HostSession.duoFlag
    }

    var settings: SessionSettings {
        var settings = SessionSettings()
        if isPyflic {
            settings.autoDisconnectTime = 0
            settings.queueAfterReconnect = .init(maximumCount: 30, maximumAge: 60)
        }
        return settings
    }

    var memory: HostSession.Memory? {
        let before = json.before.client
        guard let bytes = before.pairing.bytes ?? quick.pairing.bytes, file != "full-verify" else { return nil }
        let bootID = isPyflic ? 0 : UInt32(before.boot_id.unsigned ?? 0)
        return HostSession.Memory(
            pairing: Pairing(SecretBytes(bytes))!,
            position: EventPosition(bootID: bootID, eventCount: isPyflic ? 0 : UInt32(before.event_count.unsigned ?? 0)),
            firmwareVersion: UInt32(before.firmware_version.unsigned ?? 10),
            isAdvertisingConfigured: true
        )
    }

    var mtu: Int { Int(steps[0].mtu.unsigned!) }

    func makeSession() -> HostSession {
        // In two sessions the certificate is not the peer's; the peer always has the address of this record.
        let peer = HostSession.Peer(address: [0x56, 0x34, 0x12, 0xDA, 0xE4, 0x80], root: root)
        return HostSession(peer: peer, memory: memory, mtu: mtu, settings: settings, flags: flags)
    }
}
