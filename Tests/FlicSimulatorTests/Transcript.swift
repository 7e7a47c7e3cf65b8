import Fixtures
import FlicProtocol
import FlicSimulator
import Testing

/// A session recorded between an official client and another simulated button, to be repeated with this one.
struct Transcript: CustomTestStringConvertible {
    let record: JSONValue

    static func all(_ file: String) -> [Transcript] {
        JSONValue.vectors(file).sessions.array.map(Transcript.init)
    }

    var name: String { record.name.string ?? "" }
    var testDescription: String { name }
    var steps: [JSONValue] { record.steps.array }

    /// All frames that the recorded button sent.
    var buttonFrames: [[UInt8]] { steps.filter { $0.from.string == "button" }.compactMap { $0.frame.bytes } }

    // MARK: The button as it was before

    func makeFirmware() -> ButtonFirmware {
        var settings = ButtonSettings()
        settings.pingInterval = nil  // the recorded button only pinged by hand
        settings.publicModeDuration = .seconds(3600)
        var firmware = ButtonFirmware(identity: identity, settings: settings, generator: RecordedRandom(numbers: randomNumbers), bootID: 0)
        let before = record.before.button
        firmware.restore(
            bootID: UInt32(before.boot_id.unsigned ?? 0x1020_3040),
            clock: before.ticks.unsigned ?? steps.first?.ticks.unsigned ?? 0,
            records: before.log.array.map {
                PressEncoder.Record(ticks: $0.ticks.unsigned!, code: UInt8($0.code.unsigned!), counter: UInt32($0.counter.unsigned!))
            }
        )
        if let answer = values(of: "GetNameResponse") ?? values(of: "FullVerifyResponse2") {
            let length = answer.name_len.unsigned.map(Int.init) ?? .max
            _ = firmware.setName(
                StoredName(Array(answer.name.bytes!.prefix(length)), timestamp: answer.timestamp_utc_ms.unsigned ?? 0),
                at: firmware.clock
            )
        }
        if values(of: "FullVerifyResponse1")?.is_in_public_mode.bool == true { _ = firmware.enterPublicMode(at: firmware.clock) }
        if let pairing = record.secrets.pairing.bytes, !record.before.isNull { firmware.pairings.add(pairing) }
        return firmware
    }

    private var identity: ButtonIdentity {
        let factory = record.factory
        var identity = ButtonIdentity(
            uuid: factory.uuid.bytes!,
            serialNumber: factory.serial.string!,
            privateKey: SecretBytes(factory.private_key.bytes!),
            certificate: ButtonCertificate(
                address: factory.address.bytes!,
                addressType: UInt8(factory.address_type.unsigned!),
                publicKey: factory.public_key.bytes!,
                signature: factory.signature.bytes!
            ),
            hiddenBits: UInt8(factory.hidden_bits.unsigned!)
        )
        identity.color = values(of: "FullVerifyResponse2")?.color.bytes.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return identity
    }

    /// What the button drew in the course of the session: eight random bytes per logical connection, and two bits per certificate.
    private var randomNumbers: [UInt64] {
        steps.flatMap { step -> [UInt64] in
            let values = step.completes["values"]
            guard let random = values.button_random.bytes, values.tmp_id.unsigned == temporaryID else { return [] }
            let number = random.reversed().reduce(0) { $0 << 8 | UInt64($1) }
            guard let signature = values.signature.bytes else { return [number] }
            return [number, UInt64(signature[32])]
        }
    }

    private var temporaryID: UInt64? { record.secrets.tmp_id.unsigned ?? record.secrets.test.tmp_id.unsigned }

    private func values(of packet: String) -> JSONValue? {
        steps.first { $0.from.string == "button" && $0.completes.packet.string == packet }?.completes["values"]
    }

    // MARK: Repeating

    /// Does to the button what was done to the recorded one, and returns what it sends.
    ///
    /// - Parameter prepare: Called before each step, to set faults.
    func replay(_ firmware: inout ButtonFirmware, prepare: (inout ButtonFirmware, JSONValue) -> Void = { _, _ in }) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        func collect(_ actions: [ButtonFirmware.Action]) {
            for case .send(let frame) in actions { sent.append(frame) }
        }
        // These were sent before the answers to the frames in front of them.
        var foreign = steps.filter { $0.from.string == "button" && $0.completes["signed"].bool == true && $0.completes["values"].isNull }
        for step in steps {
            prepare(&firmware, step)
            let ticks = step.ticks.unsigned ?? firmware.clock
            switch step.from.string {
            case "link" where step.link.string == "connected":
                collect(firmware.linkUp(mtu: Int(step.mtu.unsigned!), at: ticks))
            case "link":
                collect(firmware.linkLost(.lost, at: ticks))
            case "client":
                if firmware.sessionCount > 0, step.completes.packet.string != "InitButtonEventsLightRequest" {
                    for packet in foreign { collect(firmware.inject(packet.completes.body.bytes!, at: ticks)) }
                    foreign = []
                }
                collect(firmware.receive(step.frame.bytes!, at: ticks))
            case "button":
                for action in unsolicited(step) { collect(action(&firmware, ticks)) }
            default: break
            }
        }
        return sent
    }

    /// What makes the button send what no client asked for.
    private func unsolicited(_ step: JSONValue) -> [(inout ButtonFirmware, UInt64) -> [ButtonFirmware.Action]] {
        let values = step.completes["values"]
        switch step.completes.packet.string {
        case "PingRequest": return [{ $0.ping(at: $1) }]
        case "DisconnectedVerifiedLinkInd":
            let reason = SessionEnd(rawValue: UInt8(values.reason.unsigned!))!
            return [{ $0.endSessions(reason, at: $1) }]
        case "ButtonEventNotification":
            return values["items"].array.filter { $0.was_queued.bool == false }.map { item in
                let time = item.timestamp.unsigned!
                switch item.event_encoded.unsigned! {
                case 1: return { firmware, _ in firmware.press(at: time) }
                case 8...: return { firmware, _ in firmware.release(at: time) }
                default: return { $0.advance(to: $1) }
                }
            }
        default: return []
        }
    }
}

/// Numbers from a recording, then zeros.
struct RecordedRandom: RandomNumberGenerator, Sendable {
    var numbers: [UInt64]

    mutating func next() -> UInt64 { numbers.isEmpty ? 0 : numbers.removeFirst() }
}

extension PairingTable {
    /// Adds a pairing as a client stores it.
    mutating func add(_ bytes: [UInt8]) {
        if let pairing = Pairing(SecretBytes(bytes)) { insert(pairing) }
    }
}
