import FlicProtocol
import FlicSimulator
import Testing

/// No frame can crash the button or make it sign what it should not.
@Suite struct RandomFramesTests {
    @Test("50,000 random frames end no session but by a wrong signature, and everything signed is signed rightly", arguments: [UInt64(1), 2])
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var settings = ButtonSettings()
        settings.pingInterval = .seconds(1)
        settings.pingPatience = .seconds(2)
        var bench = Bench.running(clients: 3, settings: settings)
        var sessions = 0
        for round in 0..<50_000 {
            var frame = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Mostly something that the button will look into.
            if frame.count > 1, round % 4 != 0 {
                frame[0] = round % 8 < 4 ? frame[0] & 0x83 : 0
                frame[1] %= 32
            }
            bench.send([frame])
            checkSessions(&bench, &sessions)
            if round % 16 == 0 { bench.pass(.milliseconds(Int.random(in: 0...500, using: &random))) }
        }
        #expect(sessions > 100)
        #expect(bench.clients.allSatisfy { $0.wrongSignatures == 0 })
    }

    @Test("50,000 packets of clients with a flipped bit, a piece missing, or in the wrong place", arguments: [UInt64(3), 4])
    func mutated(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bench = Bench.running(clients: 2)
        var sessions = 0
        for round in 0..<50_000 {
            let index = round % 2
            let type = PacketCatalog.toButton.randomElement(using: &random) ?? GetNameRequest.self
            var body = type.init().body
            for _ in 0..<Int.random(in: 0...20, using: &random) { body.append(UInt8.random(in: 0...255, using: &random)) }
            if body.count > 1 { body[Int.random(in: 1..<body.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random) }
            switch round % 5 {
            case 0: bench.send([[UInt8.random(in: 0...31, using: &random)] + body])  // not signed
            case 1: bench.send(bench.clients[index].signedFrames(Array(body.prefix(Int.random(in: 1...body.count, using: &random)))))
            default: bench.send(bench.clients[index].signedFrames(body))
            }
            checkSessions(&bench, &sessions)
            if round % 32 == 0 { bench.click(.milliseconds(Int.random(in: 1...2000, using: &random))) }
        }
        #expect(sessions > 100)
        #expect(bench.clients.allSatisfy { $0.wrongSignatures == 0 })
    }

    /// Brings back what has ended, so that there is always something to disturb.
    private func checkSessions(_ bench: inout Bench, _ count: inout Int) {
        guard !bench.firmware.isLinked || bench.firmware.sessionCount == 0 else { return }
        count += 1
        if bench.clients.contains(where: { $0.wrongSignatures > 0 }) { return }
        bench.disconnect(.lost)
        bench.connect()
        bench { $0.enterPublicMode(at: $1) }
        for index in bench.clients.indices {
            bench.pair(index)
            bench.initialize(index)
        }
        bench.clearActions()
    }
}
