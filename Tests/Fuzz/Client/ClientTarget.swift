import FlicProtocol
import FuzzInput

// A client's session, and a button or somebody else who sends anything at any time.
//
// Whoever has not got the key never makes the session verified, paired or unpaired. Whoever has may talk nonsense: the actions are bounded, and
// everything that the session sends is signed rightly and in order.
//
// Input: what kind of session, then what happens.

/// A button that sends what it is told to, after a Quick Verify.
private struct Button {
    static let pairing = Pairing(SecretBytes([UInt8](0x50..<0x64)))!
    static let id: UInt8 = 5

    var mouth: PacketSigner
    var ear: PacketSigner
    var assembler = FrameAssembler()

    init(random: HostSession.Randomness, buttonRandom: [UInt8], isDuo: Bool) {
        let key = ChaskeyLTS.quickVerifyKey(
            pairing: Self.pairing,
            clientRandom: random.quickVerify,
            flags: isDuo ? 0x40 : 0,
            buttonRandom: buttonRandom
        )
        mouth = PacketSigner(key: ChaskeyLTS(key: key), direction: .fromButton)
        ear = PacketSigner(key: ChaskeyLTS(key: key), direction: .toButton)
    }

    mutating func frames(_ body: [UInt8], isFirst: Bool = false, mtu: Int) -> [[UInt8]] {
        Fragmentation.frames(of: mouth.sign(Array(body.prefix(123))), connectionID: Self.id, isNewlyAssigned: isFirst, mtu: mtu)
    }

    /// Hears what the session sends.
    mutating func hear(_ frame: [UInt8]) {
        switch assembler.receive(frame.span, client: nil) {
        case .partial: return
        case .whole(let header) where header.connectionID == Self.id:
            hold(ear.check(frame.span.extracting(1..<frame.count)), "wrongly signed: \(frame)")
        case .completed(let header) where header.connectionID == Self.id: hold(ear.check(assembler.take(header).span), "wrongly signed: \(frame)")
        default: hold(false, "no frame for a session: \(frame)")
        }
    }
}

private struct Scene {
    private var session: HostSession
    private var button: Button?
    private let mtu: Int
    private var now = Duration.zero
    private var actions: [HostSession.Action] = []

    init(kind: UInt8, digest: UInt64) {
        let isDuo = kind & 2 != 0
        let isPairing = kind & 1 == 0
        mtu = kind & 4 == 0 ? 140 : 23
        // Follows from the input, as else the fuzzer would read a signature out of a comparison and find it right the next time.
        let fresh = (0..<8).map { UInt8(truncatingIfNeeded: digest >> (8 * $0)) }
        let random = HostSession.Randomness(
            temporaryID: 0x0102_0304,
            privateKey: SecretBytes([UInt8](repeating: 0x42, count: 32)),
            fullVerify: fresh,
            quickVerify: Array(fresh.prefix(7))
        )
        var memory = HostSession.Memory(
            pairing: Button.pairing,
            position: EventPosition(bootID: 7, eventCount: 400),
            firmwareVersion: 10,
            name: ButtonName("Lamp"),
            isDuo: isDuo
        )
        if kind & 16 != 0 { memory.pendingRename = Rename(name: ButtonName("Desk"), timestamp: 1) }
        let root = [UInt8](repeating: 0x17, count: 32)
        session = HostSession(
            peer: .init(address: [0x56, 0x34, 0x12, 0xDA, 0xE4, 0x80], root: root),
            memory: isPairing ? nil : memory,
            mtu: mtu,
            flags: isDuo ? HostSession.duoFlag : 0
        )
        session.start(random: random, now: now, into: &actions)
        actions = []
        guard !isPairing, kind & 8 != 0 else { return }
        var response = QuickVerifyResponse()
        response.tmpID = random.temporaryID
        response.buttonRandom = Array(fresh.reversed())
        response.linkIsEncrypted = false
        var button = Button(random: random, buttonRandom: response.buttonRandom, isDuo: isDuo)
        if isDuo { response.isDuo = true }
        for frame in button.frames(response.body, isFirst: true, mtu: mtu) { session.receive(frame.span, now: now, into: &actions) }
        hold(actions.contains(.verified), "the genuine answer led to \(actions)")
        self.button = button
        listen(wasVerified: true)
    }

    mutating func step(_ input: inout FuzzInput) {
        let kind = input.byte()
        switch kind % 8 {
        case 0, 1, 2, 3:
            // With few bits of its own, so that most bytes of an input are for the packet.
            let body = [kind >> 3 | (kind & 1) << 5] + input.piece()
            let frames = button?.frames(body, mtu: mtu) ?? [[kind & 2 == 0 ? Button.id | 0x20 : Button.id] + body]
            for frame in frames { session.receive(frame.span, now: now, into: &actions) }
        case 4: session.receive(input.piece().span, now: now, into: &actions)
        case 5:
            now += .milliseconds(Int(input.number(UInt16.self)) << (kind >> 4))
            session.tick(now: now, into: &actions)
        case 6:
            session.rename(Rename(name: ButtonName(input.text()), timestamp: input.number()), now: now, into: &actions)
        default: wish(kind >> 3, &input)
        }
        listen(wasVerified: false)
    }

    private mutating func wish(_ kind: UInt8, _ input: inout FuzzInput) {
        switch kind % 8 {
        case 0: session.setAutoDisconnectTime(input.number(), into: &actions)
        case 1:
            let interval = input.number(UInt16.self)
            session.setConnectionParameters(
                .init(minimumInterval: interval, maximumInterval: interval, latency: input.number(), timeout: input.number()),
                into: &actions
            )
        case 2:
            let interval = input.number(UInt16.self)
            session.setAdvertising(.init(firstInterval: interval, laterInterval: interval, duration: input.number()), now: now, into: &actions)
        case 3:
            let image = [UInt8](repeating: kind, count: 1000 + 4 * Int(input.byte()))
            if let image = try? FirmwareImage(image) { session.updateFirmware(image, wasSent: input.flag(), now: now, into: &actions) }
        case 4: session.close(into: &actions)
        default: break
        }
    }

    private mutating func listen(wasVerified: Bool) {
        var events = 0
        for action in actions {
            switch action {
            case .verified, .isDuo: hold(wasVerified, "\(action) without the key")
            case .paired, .unpaired: hold(false, "\(action) without the key")
            case .event: events += 1
            case .send(let frame): button?.hear(frame)
            default: break
            }
        }
        hold(events <= 32 && actions.count <= 400, "\(actions.count) actions")
        actions.removeAll(keepingCapacity: true)
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
        let stories = stories(of: "button", "from_button")
        let kinds: [UInt8] = [0, 1, 3, 9, 11, 13, 25]
        return kinds.flatMap { kind in stories.map { [kind] + $0 } }
    }
}
