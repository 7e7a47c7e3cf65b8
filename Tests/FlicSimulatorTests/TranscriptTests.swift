import Fixtures
import FlicProtocol
import FlicSimulator
import Testing

/// The simulated button sends byte for byte what the button of the recordings sent, to the frames of unmodified official clients.
@Suite struct TranscriptTests {
    /// What was wrong on purpose in a recorded session, or differs from the usual settings.
    private static let arrangements: [String: @Sendable (inout ButtonFirmware) -> Void] = [
        // First pairing
        "invalid certificate": { $0.faults.certificate = .signature },
        "address in the certificate is not the peer": { $0.faults.certificate = .address },
        "address type in the certificate is not public": { $0.faults.certificate = .addressType },
        "FullVerifyResponse2 with a damaged signature": { $0.faults.nextDamagedSignatures = 1 },
        "button rejects the verifier": { $0.faults.refusesPairing = 0 },
        "unknown failure reason 9": { $0.faults.refusesPairing = 9 },
        "extended packets (color and three unknown bytes appended)": { $0.faults.trailingBytes = [0xAA, 0xBB, 0xCC] },
        "odd fragment sizes": { $0.faults.fragmentSizes = [1, 7, 50, 3, 126] },
        "app credentials demanded by the button": {
            $0.settings.appCredentialsMatch = false
            $0.settings.caresAboutAppCredentials = true
        },
        "app credentials do not match but the button does not care": { $0.settings.appCredentialsMatch = false },
        // Both
        "too many apps": {
            $0.faults.refusesEverybody = true
            $0.faults.answersForeignIDFirst = true
        },
        "answers to other clients and a foreign tmp_id come first": { $0.faults.answersForeignIDFirst = true },
        "answers to other clients first": { $0.faults.answersForeignIDFirst = true },
        // Reconnecting
        "button answers with a key that is not ours": { $0.faults.usesForeignKey = true },
        "damaged signature on QuickVerifyResponse": { $0.faults.nextDamagedSignatures = 1 },
        "a counter skipped by the button": { $0.faults.skipsCount = 1 },
        // Queued events
        "seven presses while away, init response already has the newest count": { $0.settings.countsQueueInAnswer = true },
        "three items per notification, MTU 23": { $0.settings.eventsPerNotification = 3 },
        "one item per notification": { $0.settings.eventsPerNotification = 1 },
        "the queue is replayed although already seen": { $0.faults.replaysEverything = true },
        "link lost in the middle of the queue": {
            $0.settings.eventsPerNotification = 2
            $0.faults.packetsUntilDisconnect = 5
        },
        // Unpaired
        "negative answer although the pairing exists (answer EX)": { $0.faults.deniesPairings = true },
        "negative answer and a forged test result": { $0.faults.forgesProof = true },
        "foreign negative answer first, then the right one": { $0.faults.answersForeignIDFirst = true },
        "negative answer from an impostor (wrong certificate)": { $0.faults.certificate = .signature },
        "pairing replaced by another one with the same identifier": { $0.faults.deniesPairings = true },
    ]

    private func replay(_ transcript: Transcript) -> [[UInt8]] {
        var firmware = transcript.makeFirmware()
        Self.arrangements[transcript.name]?(&firmware)
        firmware.faults.foreignFrames = transcript.steps.filter { !$0.note.isNull }.compactMap { $0.frame.bytes }.filter { $0[0] != 0x21 }
        if let pairing = transcript.record.secrets.quick.pairing.bytes {
            switch transcript.name {
            case "negative answer although the pairing exists (answer EX)": firmware.pairings.add(pairing)
            case "pairing replaced by another one with the same identifier":
                firmware.pairings.add(pairing.prefix(4) + [UInt8](repeating: 1, count: 16))
            default: break
            }
        }
        return transcript.replay(&firmware) { firmware, step in
            if transcript.name == "damaged signature on the init response", step.completes.packet.string == "InitButtonEventsLightRequest" {
                firmware.faults.nextDamagedSignatures = 1
            }
        }
    }

    @Test("Pairing: all 17 sessions byte for byte", arguments: Transcript.all("transcript-full-verify"))
    func pairing(_ transcript: Transcript) {
        #expect(replay(transcript).map(\.hex) == transcript.buttonFrames.map(\.hex))
    }

    @Test("Reconnecting: all 17 sessions, but for the tag made with a key that nobody knows", arguments: Transcript.all("transcript-quick-verify"))
    func reconnecting(_ transcript: Transcript) {
        var sent = replay(transcript)
        var recorded = transcript.buttonFrames
        if transcript.name == "button answers with a key that is not ours" {
            sent[0].removeLast(PacketSigner.tagLength)
            recorded[0].removeLast(PacketSigner.tagLength)
        }
        #expect(sent.map(\.hex) == recorded.map(\.hex))
    }

    @Test("Queued events: all 10 sessions byte for byte", arguments: Transcript.all("transcript-queued-events"))
    func queuedEvents(_ transcript: Transcript) {
        #expect(replay(transcript).map(\.hex) == transcript.buttonFrames.map(\.hex))
    }

    @Test("Unpaired: all 7 sessions byte for byte", arguments: Transcript.all("transcript-unpaired"))
    func unpaired(_ transcript: Transcript) {
        #expect(replay(transcript).map(\.hex) == transcript.buttonFrames.map(\.hex))
    }

    @Test("Every arrangement belongs to a recorded session")
    func arrangementsAreUsed() {
        let files = ["transcript-full-verify", "transcript-quick-verify", "transcript-queued-events", "transcript-unpaired"]
        let names = Set(files.flatMap { Transcript.all($0) }.map(\.name))
        #expect(Self.arrangements.keys.allSatisfy(names.contains))
    }
}
