import FlicSimulator
import FoundationEssentials
import Glibc
import Testing

@testable import FlicBridge

@Suite("The daemon's socket: hostile clients")
struct SocketHostileTests {
    @Test("A line may have 64 KiB; with one byte more the connection ends", arguments: [0, 1], [true, false])
    func tooLong(excess: Int, hasEnd: Bool) async throws {
        try await SocketScene.play { scene in
            let client = try await scene.client()
            let head = #"{"id":1,"request":"ping"}"#
            let line = head + String(repeating: " ", count: SocketServer.longestLine - head.utf8.count + excess)
            for start in stride(from: 0, to: line.utf8.count, by: 10_000) {
                await client.send(Array(line.utf8.dropFirst(start).prefix(10_000)))
                await scene.pass()
            }
            if hasEnd {
                await client.send([UInt8(ascii: "\n")])
                await scene.pass()
            }
            let lines = try await client.take().map { try Line($0) }
            if excess == 0 {
                #expect(lines.count == (hasEnd ? 1 : 0) && lines.allSatisfy { $0.error == nil })
                #expect(await client.isOver == false)
            } else {
                #expect(lines.map(\.error?.reason) == ["tooLong"])
                #expect(await client.isOver)
            }
        }
    }

    @Test("More clients than can be served are turned away, until others leave")
    func crowd() async throws {
        try await SocketScene.play { scene in
            var clients: [RawClient] = []
            for _ in 0..<SocketServer.mostClients { clients.append(try await scene.client()) }
            var turnedAway: [RawClient] = []
            for _ in 0..<50 {
                let client = try RawClient(scene.path, on: scene.clock.makeLoop())
                await client.open()
                turnedAway.append(client)
            }
            await scene.pass()
            for client in turnedAway {
                let lines = try await client.take().map { try Line($0) }
                #expect(lines.map(\.error?.reason) == ["tooManyClients"])
                #expect(await client.isOver)
            }
            await clients.removeLast().leave()
            await scene.pass()
            #expect(await scene.ask(try await scene.client(), #"{"request":"ping"}"#) == [#"{"result":{}}"#])
            for client in clients { #expect(await client.isOver == false) }
        }
    }

    @Test("Who asks and asks and never reads is not read any more, and answered in order later")
    func deafQuestions() async throws {
        try await SocketScene.play { scene in
            let (deaf, other) = (try await scene.client(), try await scene.client())
            await deaf.pause(true)
            var asked = 0
            while asked < 100_000 {
                guard await deaf.send(#"{"id":\#(asked),"request":"ping"}"#) else { break }
                asked += 1
                if asked.isMultiple(of: 500) { await scene.pass() }
            }
            #expect(asked < 100_000)
            #expect(await scene.server.clients.values.allSatisfy { $0.lines.count < 3 * SocketServer.longestLine })
            #expect(await scene.ask(other, #"{"request":"ping"}"#) == [#"{"result":{}}"#])
            await deaf.pause(false)
            await scene.pass()
            let ids = try await deaf.take().map { try Line($0).id }
            #expect(ids == (0..<asked).map { .number($0) })
        }
    }

    @Test("Who goes on asking while a request takes its time is not read any more, and answered later")
    func eagerQuestions() async throws {
        let (gate, release) = AsyncStream<Void>.makeStream()
        var facts = SocketServer.Facts(version: "1.2.3")
        facts.metrics = {
            for await _ in gate {}
            return "all"
        }
        try await SocketScene.play(facts: facts) { scene in
            let client = try await scene.client()
            await client.send(#"{"id":-1,"request":"metrics"}"#)
            var asked = 0
            while asked < 100_000, await client.send(#"{"id":\#(asked),"request":"ping"}"#) {
                asked += 1
                if asked.isMultiple(of: 500) { await scene.pass() }
            }
            #expect(asked < 100_000)
            #expect(await scene.server.clients.values.allSatisfy { $0.lines.count < 3 * SocketServer.longestLine })
            release.finish()
            await scene.pass()
            let ids = try await client.take().map { try Line($0).id }
            #expect(ids == (-1..<asked).map { .number($0) })
        }
    }

    @Test("A client that has said all and does not read what waits for it is left after a while")
    func slowEnd() async throws {
        try await SocketScene.play { scene in
            let info = try await scene.pair()
            let client = try await scene.client()
            _ = await scene.ask(client, #"{"request":"subscribe","events":["click"]}"#)
            await client.pause(true)
            // More than the system takes, less than the daemon keeps.
            for _ in 0..<600 { await scene.server.hear(.button(.press(PressEvent(kind: .click)), info)) }
            await client.finish()
            await scene.pass(SocketServer.leavingTime - .milliseconds(10))
            #expect(await scene.server.clients.values.map(\.leftOut) == [0])
            await scene.pass(.milliseconds(20))
            #expect(await scene.server.clients.isEmpty)
            await client.pause(false)
            await scene.pass()
            #expect((1..<600).contains(await client.take().count))
            #expect(await client.isOver)
        }
    }

    @Test("Hundreds of connections that come and go at once leave nothing behind")
    func comingAndGoing() async throws {
        try await SocketScene.play { scene in
            for round in 0..<20 {
                var clients: [RawClient] = []
                for _ in 0..<20 {
                    let client = try RawClient(scene.path, on: scene.clock.makeLoop())
                    await client.open()
                    await client.send(round.isMultiple(of: 2) ? #"{"request":"subscribe"}"# : #"{"request":"pa"#)
                    clients.append(client)
                }
                if round.isMultiple(of: 3) { await scene.pass() }
                for client in clients { await client.leave() }
            }
            await scene.pass()
            #expect(await scene.server.clients.isEmpty)
            // The one that listens. Dispatch sources let go of theirs a little later.
            let deadline = ContinuousClock.now + .seconds(30)
            while try Self.sockets(at: scene.path) > 1, ContinuousClock.now < deadline { await scene.pass() }
            #expect(try Self.sockets(at: scene.path) <= 1)
            #expect(await scene.ask(try await scene.client(), #"{"request":"ping"}"#) == [#"{"result":{}}"#])
        }
    }

    /// How many the kernel knows.
    private static func sockets(at path: String) throws -> Int {
        let table = try #require(FileManager.default.contents(atPath: "/proc/net/unix"))
        return String(decoding: table, as: UTF8.self).split(separator: "\n").count { $0.hasSuffix(path) }
    }

    @Test("Whatever bytes come, each line has one answer, and the next is answered as well", arguments: 1...4 as ClosedRange<UInt64>)
    func fuzz(seed: UInt64) async throws {
        try await SocketScene.play { scene in
            let info = try await scene.pair(name: "Hall")
            let client = try await scene.client()
            var random = SeededGenerator(seed: seed)
            for _ in 0..<400 {
                var line = Self.line(info, &random)
                line.removeAll { $0 == UInt8(ascii: "\n") }
                let isBlank = line.allSatisfy { [9, 13, 32].contains($0) }
                await client.send(line + [UInt8(ascii: "\n")])
                await scene.pass()
                let told = await client.take()
                try #require(told.count == (isBlank ? 0 : 1), "\(String(decoding: line, as: UTF8.self)): \(told)")
                for text in told {
                    let answer = try Line(text)
                    try #require((answer.error == nil) != (answer.result == nil))
                }
            }
            #expect(await scene.ask(client, #"{"request":"ping"}"#) == [#"{"result":{}}"#])
        }
    }

    /// A request, a damaged one, or anything. Not `pair`, which has no answer yet, nor `subscribe`, which brings events, nor `forget`.
    private static func line(_ info: ButtonInfo, _ random: inout SeededGenerator) -> [UInt8] {
        let button = ["Hall", info.serialNumber, "", "x", info.uuid].randomElement(using: &random)!
        let requests = [
            #"{"id":1,"request":"ping"}"#, #"{"id":"é","request":"status"}"#, #"{"request":"list","id":null}"#,
            #"{"id":3,"request":"rename","button":"\#(button)","name":"Hall"}"#,
            #"{"id":4,"request":"latency","button":"\#(button)","latency":"low"}"#,
            #"{"id":5,"request":"mode","button":"\#(button)","mode":"all","holdTime":1e0,"tripleClick":true}"#,
            #"{"id":6,"request":"queue","button":"\#(button)","policy":"latest:9"}"#, #"{"id":7,"request":"unsubscribe"}"#,
            #"{"id":8,"request":"autoDisconnect","button":"\#(button)","seconds":99.5}"#, #"{"id":9,"request":"metrics"}"#,
        ]
        var line = Array(requests.randomElement(using: &random)!.utf8)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: break
        case 1: line.removeLast(Int.random(in: 1..<line.count, using: &random))
        case 2:
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                line[Int.random(in: line.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
        case 3:
            let piece = [#"{"#, #"["#, #"""#, "\\u0000", "\\ud800", "1e999", ",,", "null", "-", "\u{FEFF}", "\\"].randomElement(using: &random)!
            line.insert(contentsOf: Array(piece.utf8), at: Int.random(in: line.indices, using: &random))
        case 4: line += requests.randomElement(using: &random)!.utf8
        default: line = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
        return line
    }
}
