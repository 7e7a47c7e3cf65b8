import FlicClient
import FlicProtocol
import FlicSimulator
import FoundationEssentials
import GATT
import Testing

/// A simulated Flic Twist and a session of the library, without anything between them.
@Suite("A simulated Twist and the host agree")
struct TwistAgreementTests {
    @Test("In random lives each event is told once, and both sides stand at the same places")
    func lives() throws {
        for seed in 0..<UInt64(DuoAgreementTests.streams) {
            var life = try TwistLife(seed: seed)
            life.live()
            let expected = life.expected
            let difference = zip(life.told, expected).enumerated().first { $0.element.0 != $0.element.1 }
            try #require(
                difference == nil && life.told.count == expected.count,
                "seed \(seed): \(life.unexpected), \(life.told.count) of \(expected.count), \(difference as Any)"
            )
            try #require(life.unexpected == [] && life.failures == [], "seed \(seed)")
        }
    }

    @Test("More reports on their way than the Twist keeps: it refuses, the host says it again, and both agree", arguments: [0, 7, 8, 9, 20])
    func late(_ reports: Int) throws {
        var life = try TwistLife(seed: 3)
        life.makeLink()
        life.turn(by: 1000)
        life.isSlow = true
        for _ in 0..<reports { life.turn(by: 500) }
        life.show(40_000, mode: 0)
        life.isSlow = false
        life.settle()
        #expect(life.failures == [] && life.unexpected == [])
        life.checkPositions()
        #expect(life.failures == [])
        #expect(life.positions[0] == min(40_000 + 500 * UInt16(reports), 49_152))
    }
}

/// What happens to a Twist and its host: fingers, turns, modes, windows that are moved while turns are on their way, lost links.
private struct TwistLife {
    struct Fact: Equatable {
        var code: UInt8
        var count: UInt32
        var timestamp: UInt64
        var mode: UInt8?
    }

    var firmware: ButtonFirmware
    /// What the host knows of where it stands.
    var positions = [UInt16](repeating: 0, count: Twist.Configuration.count)
    /// Packets stay on their way.
    var isSlow = false
    private var session: HostSession?
    private var memory: HostSession.Memory
    private var generator: SeededGenerator
    private var time: UInt64 = 0
    private var toButton: [[UInt8]] = []
    private var toHost: [[UInt8]] = []
    /// The mode at each event, by its counter.
    private var modes: [UInt32: UInt8] = [:]
    private(set) var told: [Fact] = []
    private(set) var unexpected: [HostSession.Action] = []
    private(set) var failures: [String] = []

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        var settings = ButtonSettings()
        settings.twistEventLimit = 4096
        settings.eventsPerNotification = Int.random(in: 1...16, using: &generator)
        firmware = ButtonFirmware(identity: .make(seed: 1, product: .twist), settings: settings, generator: SeededGenerator(seed: seed), bootID: 7)
        let pairing = try #require(Pairing(SecretBytes([UInt8](0..<20))))
        firmware.pairings.insert(pairing)
        memory = HostSession.Memory(pairing: pairing, position: EventPosition(bootID: 7), firmwareVersion: 10, isAdvertisingConfigured: true)
    }

    /// What the log says, in the words of the host: the hold of a second press makes a click of the first one, and a press of its own.
    var expected: [Fact] {
        firmware.log.records.flatMap { record -> [Fact] in
            func fact(_ code: UInt8, _ count: UInt32) -> Fact {
                Fact(code: code, count: count, timestamp: record.time, mode: modes[record.counter])
            }
            switch record.code {
            case 7: return [fact(2, record.counter - 2), fact(3, record.counter)]
            case 15: return [fact(14, record.counter)]
            default: return [fact(record.code, record.counter)]
            }
        }
    }

    mutating func live() {
        for _ in 0..<Int.random(in: 5...60, using: &generator) {
            time += [100, 3000, 17_000, 40_000, 200_000].randomElement(using: &generator)!
            switch Int.random(in: 0..<16, using: &generator) {
            case 0: loseLink()
            case 1, 2: makeLink()
            case 3, 4: input { $0.advance(to: $1) }
            case 5, 6: input { $0.press(at: $1) }
            case 7, 8: input { $0.release(at: $1) }
            case 9:
                let mode = UInt8.random(in: 0...14, using: &generator)
                input { $0.selectTwistMode(mode, at: $1) }
            case 10: isSlow = true
            case 11:
                isSlow = false
                settle()
                checkPositions()
            case 12: show(.random(in: 0...50_000, using: &generator), mode: .random(in: 0...12, using: &generator))
            default: turn(by: .random(in: -70_000...70_000, using: &generator))
            }
        }
        isSlow = false
        settle()
        checkPositions()
        makeLink()
        time += 200_000  // everything is decided
        input { $0.advance(to: $1) }
        checkPositions()
    }

    mutating func turn(by angle: Int32) { input { $0.twist(by: angle, at: $1) } }

    mutating func show(_ position: UInt16, mode: UInt8) {
        guard session?.isEstablished == true else { return }
        var actions: [HostSession.Action] = []
        session?.setTwistPosition(position, mode: mode, into: &actions)
        positions[Int(mode)] = min(position, 49_152)
        carryOut(actions)
        if !isSlow { settle() }
    }

    mutating func checkPositions() {
        guard session?.isEstablished == true, toHost.isEmpty, toButton.isEmpty else { return }
        let device = firmware.twist.positions.map(\.visible)
        if device != positions { failures.append("\(device) is not \(positions)") }
    }

    mutating func makeLink() {
        guard session == nil else { return }
        isSlow = false
        let peer = HostSession.Peer(address: firmware.identity.address.wireBytes, root: TestRoot.publicKey, dialect: .twist)
        input { $0.linkUp(mtu: 140, at: $1) }
        var settings = SessionSettings()
        for mode in positions.indices { settings.twist[mode].position = positions[mode] }
        session = HostSession(peer: peer, memory: memory, mtu: 140, settings: settings)
        var actions: [HostSession.Action] = []
        let random = HostSession.Randomness.played(using: &generator)
        let now = now
        session?.start(random: random, now: now, into: &actions)
        carryOut(actions)
        settle()
    }

    /// What is on its way is lost, and the place that the host knows is where it goes on.
    private mutating func loseLink() {
        guard session != nil else { return }
        session = nil
        (toHost, toButton) = ([], [])
        input { $0.linkLost(.lost, at: $1) }
    }

    private var now: Duration { Duration(ticks: time) }

    private mutating func input(_ input: (inout ButtonFirmware, UInt64) -> [ButtonFirmware.Action]) {
        let mode = firmware.twist.mode
        hear(input(&firmware, time))
        for record in firmware.log.records.reversed() {
            guard modes[record.counter] == nil else { break }
            modes[record.counter] = mode
        }
        if !isSlow { settle() }
    }

    mutating func settle() {
        while !toButton.isEmpty || !toHost.isEmpty {
            if !toHost.isEmpty {
                let frame = toHost.removeFirst()
                var actions: [HostSession.Action] = []
                let now = now
                session?.receive(frame.span, now: now, into: &actions)
                carryOut(actions)
            } else {
                let frame = toButton.removeFirst()
                hear(firmware.receive(frame, at: time))
            }
        }
    }

    private mutating func hear(_ actions: [ButtonFirmware.Action]) {
        for case .send(let frame) in actions where session != nil { toHost.append(frame) }
    }

    private mutating func carryOut(_ actions: [HostSession.Action]) {
        for action in actions {
            switch action {
            case .send(let frame): toButton.append(frame)
            case .event(let event):
                told.append(Fact(code: event.code.rawValue, count: event.count, timestamp: event.timestamp, mode: event.twistMode))
            case .rotated(let turn): positions[Int(turn.mode)] = turn.position
            case .progress(let position): memory.position = position
            case .failed, .ended, .unpaired, .ignored: unexpected.append(action)
            default: break
            }
        }
    }
}
