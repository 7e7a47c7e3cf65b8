import FlicClient
import FlicProtocol
import FlicSimulator
import FoundationEssentials
import GATT
import Testing

/// A simulated Flic Duo and a session of the library, without anything between them.
@Suite("A simulated Duo and the host agree")
struct DuoAgreementTests {
    /// More are played by hand: `FLICKIT_STREAMS=100000 swift test --filter DuoAgreementTests`.
    static let streams = Int(ProcessInfo.processInfo.environment["FLICKIT_STREAMS"] ?? "") ?? 300

    @Test("In random lives each event of both buttons is told once, with its gesture, and as it was")
    func lives() throws {
        for seed in 0..<UInt64(Self.streams) {
            var life = try DuoLife(seed: seed)
            life.live()
            let told = life.told.map(DuoLife.Fact.init)
            let happened = life.firmware.duo.events.map(DuoLife.Fact.init)
            let difference = zip(told, happened).enumerated().first { $0.element.0 != $0.element.1 }
            try #require(
                difference == nil && told.count == happened.count,
                "seed \(seed): \(life.unexpected), \(told.count) of \(happened.count), \(difference as Any)"
            )
            try #require(life.unexpected == [], "seed \(seed)")
        }
    }
}

extension HostSession.Randomness {
    /// Only what tells clients apart differs: nothing is secret where lives are played.
    static func played(using generator: inout SeededGenerator) -> Self {
        Self(
            temporaryID: UInt32(truncatingIfNeeded: generator.next()),
            privateKey: SecretBytes([UInt8](repeating: 1, count: 32)),
            fullVerify: [UInt8](repeating: 2, count: 8),
            quickVerify: [UInt8](repeating: 3, count: 7)
        )
    }
}

/// What happens to a Duo and its host: fingers on both buttons, lost links, and new sessions that fetch what was missed.
private struct DuoLife {
    /// What both ends have to agree on.
    struct Fact: Equatable {
        var button: DuoButton
        var code: EventCode
        var count: UInt32
        var timestamp: UInt64
        var gesture: DuoEvent.Gesture?
        var acceleration: DuoEvent.Acceleration?

        init(_ event: ButtonEvent) {
            (button, code, count, timestamp) = (event.button, event.code, event.count, event.timestamp)
            (gesture, acceleration) = (event.gesture, event.acceleration)
        }

        init(_ event: DuoEvent) {
            (button, code, count, timestamp) = (event.button, event.code, event.count, event.timestamp)
            (gesture, acceleration) = (event.gesture, event.acceleration)
        }
    }

    var firmware: ButtonFirmware
    private var session: HostSession?
    private var memory: HostSession.Memory
    private var generator: SeededGenerator
    private var time: UInt64 = 0
    private var toButton: [[UInt8]] = []
    private(set) var told: [ButtonEvent] = []
    private(set) var unexpected: [HostSession.Action] = []

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        var settings = ButtonSettings()
        settings.eventLimit = 4096
        settings.pingInterval = nil  // time leaps here, and nobody would answer
        settings.eventsPerNotification = Int.random(in: 1...16, using: &generator)
        firmware = ButtonFirmware(
            identity: .make(seed: 1, product: .duo),
            settings: settings,
            generator: SeededGenerator(seed: seed),
            bootID: 7
        )
        let pairing = try #require(Pairing(SecretBytes([UInt8](0..<20))))
        firmware.pairings.insert(pairing)
        memory = HostSession.Memory(
            pairing: pairing,
            position: EventPosition(bootID: 7),
            firmwareVersion: 10,
            isAdvertisingConfigured: true,
            isDuo: true
        )
    }

    mutating func live() {
        for _ in 0..<Int.random(in: 5...40, using: &generator) {
            time += [100, 3000, 17_000, 40_000, 3_000_000].randomElement(using: &generator)!
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: loseLink()
            case 1, 2: makeLink()
            case 3, 4: input { $0.advance(to: $1) }
            case 5, 6, 7: press()
            default: release()
            }
        }
        makeLink()
        time += 200_000  // everything is decided
        input { $0.advance(to: $1) }
    }

    private mutating func press() {
        let button = DuoButton.allCases.randomElement(using: &generator)!
        input { $0.press(button, at: $1) }
    }

    private mutating func release() {
        let button = DuoButton.allCases.randomElement(using: &generator)!
        let gesture = (DuoEvent.Gesture.allCases + [nil, nil]).randomElement(using: &generator)!
        input { $0.release(button, gesture: gesture, at: $1) }
    }

    private mutating func makeLink() {
        guard session == nil else { return }
        let peer = HostSession.Peer(address: firmware.identity.address.wireBytes, root: TestRoot.publicKey)
        input { $0.linkUp(mtu: 140, at: $1) }
        session = HostSession(peer: peer, memory: memory, mtu: 140, flags: HostSession.duoFlag)
        var actions: [HostSession.Action] = []
        let random = HostSession.Randomness.played(using: &generator)
        let now = now
        session?.start(random: random, now: now, into: &actions)
        carryOut(actions)
        settle()
    }

    private mutating func loseLink() {
        guard session != nil else { return }
        session = nil
        input { $0.linkLost(.lost, at: $1) }
    }

    private var now: Duration { Duration(ticks: time) }

    /// Gives the button an input, and carries frames to and fro, in their order, until nobody has anything to say.
    private mutating func input(_ input: (inout ButtonFirmware, UInt64) -> [ButtonFirmware.Action]) {
        hear(input(&firmware, time))
        settle()
    }

    private mutating func settle() {
        while !toButton.isEmpty {
            let frame = toButton.removeFirst()
            hear(firmware.receive(frame, at: time))
        }
    }

    private mutating func hear(_ actions: [ButtonFirmware.Action]) {
        for case .send(let frame) in actions {
            var actions: [HostSession.Action] = []
            let now = now
            session?.receive(frame.span, now: now, into: &actions)
            carryOut(actions)
        }
    }

    private mutating func carryOut(_ actions: [HostSession.Action]) {
        for action in actions {
            switch action {
            case .send(let frame): toButton.append(frame)
            case .event(let event): told.append(event)
            case .progress(let position): memory.position = position
            case .failed, .ended, .unpaired, .ignored: unexpected.append(action)
            default: break
            }
        }
    }
}
