import Commands
import FlicProtocol
import FlicSimulator
import GATT

extension Measurement {
    private static let rounds = Option(name: "--rounds", value: "N", summary: "Verify so often (1000).")

    static let verify = Measurement(
        name: "verify",
        summary: "What the two verifications cost a client, beside libsodium's share of it.",
        discussion: """
            Only the client's own computing is counted, not that of the simulated button.
              full               the pairing: all packets of a Full Verify
              full, libsodium    the same calls of libsodium alone, with the same input: signatures, key agreement, SHA-256, HMAC
              quick              all packets of a Quick Verify
            """,
        options: [rounds]
    ) { invocation in
        let count = try invocation.arguments.count(rounds, usual: 1000)
        var times: (full: [UInt64], sodium: [UInt64], quick: [UInt64]) = ([], [], [])
        for number in 0...UInt64(count) {
            var round = VerifyRound(number: number)
            let pairing = try round.pair()
            let quick = try round.resume(pairing)
            let sodium = try round.primitives()
            guard number > 0 else { continue }  // the first one finds nothing in the caches
            times.full.append(round.time)
            times.sodium.append(sodium)
            times.quick.append(quick)
        }
        return Report(
            measurement: "verify",
            figures: [Figure("full", times: times.full), Figure("full, libsodium", times: times.sodium), Figure("quick", times: times.quick)]
                .compactMap(\.self)
        )
    }
}

/// A client and a button that are wired together.
private struct VerifyRound {
    private var button: ButtonFirmware
    private let random: HostSession.Randomness
    private var certificate: FullVerifyResponse1?
    /// Nanoseconds of the client so far.
    private(set) var time: UInt64 = 0

    init(number: UInt64) {
        button = ButtonFirmware(identity: .make(seed: number), generator: SeededGenerator(seed: number))
        random = .fresh()
    }

    private var peer: HostSession.Peer { HostSession.Peer(address: button.identity.address.wireBytes, root: TestRoot.publicKey) }

    /// Goes through a session until it is verified.
    private mutating func verify(_ memory: HostSession.Memory?) throws -> [HostSession.Action] {
        var session = HostSession(peer: peer, memory: memory, mtu: 140)
        var actions: [HostSession.Action] = []
        var told: [HostSession.Action] = []
        let random = random
        clock { session.start(random: random, now: .zero, into: &actions) }
        while !session.isEstablished {
            let sent = actions
            told += sent
            actions = []
            for case .send(let frame) in sent {
                for case .send(let answer) in button.receive(frame, at: 0) {
                    if answer.count > 1, answer[1] == FullVerifyResponse1.opcode {
                        certificate = FullVerifyResponse1(body: answer.span.extracting(1..<answer.count)) ?? certificate
                    }
                    clock { session.receive(answer.span, now: .zero, into: &actions) }
                }
            }
            guard !actions.isEmpty else { throw Invocation.Failure("The session was not verified.") }
        }
        return told + actions
    }

    private mutating func clock(_ work: () -> Void) {
        let start = MonotonicTime.now
        work()
        time += MonotonicTime.now - start
    }

    mutating func pair() throws -> Pairing {
        _ = button.enterPublicMode(at: 0)
        _ = button.linkUp(mtu: 140, at: 0)
        for case .paired(let paired) in try verify(nil) { return paired.pairing }
        throw Invocation.Failure("The button was not paired.")
    }

    /// - Returns: Nanoseconds of the client.
    mutating func resume(_ pairing: Pairing) throws -> UInt64 {
        _ = button.linkLost(.lost, at: 0)
        _ = button.linkUp(mtu: 140, at: 0)
        let former = time
        defer { time = former }
        _ = try verify(HostSession.Memory(pairing: pairing, position: EventPosition(), firmwareVersion: 10))
        return time - former
    }

    /// - Returns: Nanoseconds of what libsodium has to do in a Full Verify.
    func primitives() throws -> UInt64 {
        guard let certificate else { throw Invocation.Failure("There was no certificate.") }
        let statement = ButtonCertificate(
            address: certificate.address,
            addressType: certificate.addressType,
            publicKey: certificate.publicKey,
            signature: certificate.signature
        )
        let (message, label) = (statement.signedMessage, [UInt8]("SK".utf8))
        let start = MonotonicTime.now
        // The two hidden bits are tried one after the other.
        for bits in 0...UInt8(3) {
            var candidate = statement.signature
            candidate[32] = candidate[32] & 0xFC | bits
            if Sodium.isValidSignature(candidate, of: message, publicKey: TestRoot.publicKey) { break }
        }
        _ = Sodium.publicKey(of: random.privateKey)
        guard let shared = Sodium.sharedSecret(privateKey: random.privateKey, peer: certificate.publicKey) else {
            throw Invocation.Failure("There was no shared secret.")
        }
        let secret = Sodium.sha256(shared, certificate.buttonRandom + random.fullVerify + [0, 0])
        for _ in 0..<3 { _ = Sodium.hmac(key: secret, label, count: 16) }
        return MonotonicTime.now - start
    }
}
