import FlicClient
import FlicProtocol
import FlicSimulator
import FuzzInput

// A button, and a client or somebody else who sends anything at any time, while fingers, clock and link do what they like.
//
// Whoever has not got the key gets no session. Whoever has may talk nonsense: what the button sends is bounded, signed rightly and in order.
//
// Input: who it is, then what happens.

private let pairing = Pairing(SecretBytes([UInt8](0x50..<0x64)))!
private let identities = [ButtonIdentity.make(seed: 1), ButtonIdentity.make(seed: 2, product: .duo)]

/// A client that has verified its pairing.
private struct Client {
    let id: UInt8
    var mouth: PacketSigner
    var ear: PacketSigner
    var assembler = FrameAssembler()
    /// The button has ended the session, or the link: nothing more is for it.
    var isOver = false

    mutating func hear(_ frame: [UInt8]) {
        guard !isOver else { return }
        switch assembler.receive(frame.span, client: id) {
        case .partial, .notMine: return
        case .whole(let header): hear(Array(frame.dropFirst()), header)
        case .completed(let header): hear(assembler.take(header), header)
        case .tooShort, .oversize: hold(false, "no frame: \(frame)")
        }
    }

    private mutating func hear(_ packet: [UInt8], _ header: FrameHeader) {
        guard header.connectionID == id else { return }
        hold(ear.check(packet.span), "wrongly signed: \(packet)")
        isOver = packet[0] == DisconnectedVerifiedLinkInd.opcode
    }
}

private struct Scene {
    private var firmware: ButtonFirmware
    private var client: Client?
    private let mtu: Int

    init(kind: UInt8, digest: UInt64) {
        mtu = kind & 4 == 0 ? 140 : 23
        // Follows from the input, as else the fuzzer would read a signature out of a comparison and find it right the next time.
        firmware = ButtonFirmware(identity: identities[Int(kind & 2) / 2], generator: SeededGenerator(seed: digest))
        if kind & 16 != 0 { firmware.settings.slots = 2 }
        if kind & 32 != 0 { firmware.settings.eventsPerNotification = 1 }
        // A session begins with the number of a pairing, and only what follows shows the key: so a stranger must not know the number.
        let unknown = (0..<20).map { UInt8(truncatingIfNeeded: digest >> (8 * ($0 % 8))) }
        firmware.pairings.insert(kind & 1 != 0 ? pairing : Pairing(SecretBytes(unknown)) ?? pairing)
        _ = firmware.linkUp(mtu: mtu, at: 0)
        if kind & 1 != 0 { client = verified(digest: digest, isDuo: kind & 8 != 0) }
    }

    private mutating func verified(digest: UInt64, isDuo: Bool) -> Client? {
        var request = QuickVerifyRequest()
        request.clientRandom = (0..<7).map { UInt8(truncatingIfNeeded: digest >> (8 * $0)) }
        request.supportsDuo = isDuo
        request.tmpID = 1
        request.pairingIdentifier = pairing.identifier
        for action in firmware.receive([0] + request.body, at: 0) {
            guard case .send(let frame) = action, let answer = QuickVerifyResponse(body: frame.span.extracting(1..<frame.count)) else { continue }
            let block = ChaskeyLTS.quickVerifyKey(
                pairing: pairing,
                clientRandom: request.clientRandom,
                flags: isDuo ? 0x40 : 0,
                buttonRandom: answer.buttonRandom
            )
            let key = ChaskeyLTS(key: block)
            var client = Client(
                id: FrameHeader(rawValue: frame[0]).connectionID,
                mouth: PacketSigner(key: key, direction: .toButton),
                ear: PacketSigner(key: key, direction: .fromButton)
            )
            hold(client.ear.check(frame.span.extracting(1..<frame.count)), "the answer to a Quick Verify is wrongly signed")
            return client
        }
        return nil  // it has said that all is taken
    }

    mutating func step(_ input: inout FuzzInput) {
        let kind = input.byte()
        var now = firmware.clock
        switch kind % 8 {
        case 0, 1, 2, 3:
            let body = Array(([kind >> 3 | (kind & 1) << 5] + input.piece()).prefix(123))
            guard let packet = client?.mouth.sign(body) else { return hear(firmware.receive([kind & 2 == 0 ? 0 : 1] + body, at: now)) }
            for frame in Fragmentation.frames(of: packet, connectionID: client?.id ?? 0, mtu: mtu) { hear(firmware.receive(frame, at: now)) }
        case 4: hear(firmware.receive(input.piece(), at: now))
        case 5:
            now += UInt64(input.number(UInt16.self)) << UInt64(kind >> 5)
            hear(firmware.advance(to: now))
        case 6:
            // Without the key no finger: who holds the button long enough may pair.
            guard client != nil else { return }
            let button: DuoButton = kind & 8 == 0 ? .big : .small
            hear(kind & 16 == 0 ? firmware.press(button, at: now) : firmware.release(button, at: now))
        default:
            if kind & 8 != 0 { hear(firmware.linkLost(kind & 16 == 0 ? .lost : .closedByHost, at: now)) }
            if kind & 8 != 0 { hear(firmware.linkUp(mtu: mtu, at: now)) }
            if kind & 32 != 0 { hear(firmware.endSessions(.samePairingElsewhere, at: now)) }
        }
    }

    private mutating func hear(_ actions: [ButtonFirmware.Action]) {
        for case .send(let frame) in actions {
            hold(frame.count <= mtu - 3, "a frame of \(frame.count) bytes")
            client?.hear(frame)
        }
        if !firmware.isLinked || actions.contains(.closeLink) || actions.contains(.restarted) { client?.isOver = true }
        hold(client != nil || firmware.sessionCount == 0, "a session without the key")
        hold(firmware.connectionCount <= firmware.settings.slots && actions.count <= 4000, "\(actions.count) actions")
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
package func run(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let digest = input.digest
    var scene = Scene(kind: input.byte(), digest: digest)
    while !input.isEmpty { scene.step(&input) }
    return 0
}

@_cdecl("LLVMFuzzerInitialize")
package func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    writeSeeds {
        // In scenes of all kinds.
        let stories = stories(of: "client", "to_button")
        let press: [UInt8] = [6, 5, 0, 16, 22, 5, 0, 255]
        let kinds: [UInt8] = [0, 1, 5, 11, 17, 33]
        return kinds.flatMap { kind in stories.map { [kind] + $0 + press } }
    }
}
