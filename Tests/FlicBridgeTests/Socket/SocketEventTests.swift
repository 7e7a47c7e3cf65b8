import FlicSimulator
import FoundationEssentials
import Glibc
import Testing

@testable import FlicBridge

@Suite("The daemon's socket: events")
struct SocketEventTests {
    private func events(_ lines: [String]) throws -> [String] { try lines.compactMap { try Line($0).event } }

    @Test("Who subscribes is told how things are, and what happens from then on; who does not is told nothing")
    func subscription() async throws {
        try await SocketScene.play { scene in
            let info = try await scene.pair(name: "Hall")
            let (client, other) = (try await scene.client(), try await scene.client())
            await scene.button.click()
            await scene.pass(.seconds(1))
            #expect(await client.take().isEmpty)
            let snapshot: BridgeSnapshot = try Line.result(await scene.ask(client, #"{"request":"subscribe"}"#).first)
            #expect(snapshot.bluetooth == "poweredOn" && snapshot.buttons.map(\.facts.name) == ["Hall"] && snapshot.buttons.first?.ready == true)
            await scene.button.click()
            await scene.pass(.seconds(1))
            let lines = await client.take()
            #expect(try events(lines) == ["down", "up", "click"])
            var expected = EventRecord("click")
            expected.tell(info)
            expected.name = "Hall"
            (expected.queued, expected.age) = (false, 0)
            expected.date = "2026-01-01T00:00:00.500Z"
            var click = try JSONDecoder().decode(EventRecord.self, from: Data(try #require(lines.last).utf8))
            #expect(click.count != nil && click.clock != nil)
            (click.count, click.clock) = (nil, nil)
            #expect(click == expected)
            await scene.air.setState(.poweredOff)
            await scene.pass(.seconds(1))
            #expect(try events(await client.take()) == ["bluetooth", "disconnected"])
            #expect(await other.take().isEmpty)
            #expect(await scene.ask(client, #"{"request":"unsubscribe"}"#) == [#"{"result":{}}"#])
            await scene.air.setState(.poweredOn)
            await scene.pass(.seconds(5))
            #expect(await client.take().isEmpty)
        }
    }

    @Test("Only the events and buttons that are asked for are told; the last subscription counts")
    func filters() async throws {
        try await SocketScene.play { scene in
            let hall = try await scene.pair(name: "Hall")
            let second = SimulatedButton(seed: 2, loop: scene.loop)
            await scene.air.place(second)
            await scene.pass(.seconds(31))
            await second.enterPublicMode()
            _ = try await scene.bridge.pair(name: "Door")
            await scene.pass(.seconds(2))
            let client = try await scene.client()
            func told(_ members: String) async throws -> [String] {
                let snapshot = await scene.ask(client, #"{"request":"subscribe"\#(members)}"#)
                #expect(try Line(snapshot.first).error == nil)
                await scene.button.click()
                await scene.pass(.seconds(1))
                await second.click()
                await scene.pass(.seconds(1))
                return try await client.take().map { try Line($0) }.map { "\($0.name ?? "") \($0.event ?? "")" }
            }
            let all = ["Hall down", "Hall up", "Hall click", "Door down", "Door up", "Door click"]
            #expect(try await told("") == all)
            #expect(try await told(#","events":["click","hold"]"#) == ["Hall click", "Door click"])
            #expect(try await told(#","buttons":["door"]"#) == ["Door down", "Door up", "Door click"])
            #expect(try await told(#","buttons":["\#(hall.address)"],"events":["up"]"#) == ["Hall up"])
            #expect(try await told(#","events":[]"#) == [])
            #expect(try await told(#","buttons":[]"#) == [])
            #expect(try await scene.refusal(client, #"{"request":"subscribe","buttons":["Hall","Cellar"]}"#).reason == "unknownButton")
            let refusal = try await scene.refusal(client, #"{"request":"subscribe","events":["clicks"]}"#)
            #expect(refusal.reason == "badValue" && refusal.message.contains("doubleClick") && refusal.message.contains("'clicks'"))
            for member in ["buttons", "events"] {
                let many = String(repeating: #""Hall","#, count: 257).dropLast()
                let refusal = try await scene.refusal(client, #"{"request":"subscribe","\#(member)":[\#(many)]}"#)
                #expect(refusal.message == "The member '\(member)' has to be an array of at most 256 texts.")
            }
            let snapshot = await scene.ask(client, #"{"request":"subscribe","buttons":["door"],"events":[]}"#)
            #expect(snapshot.count == 1 && snapshot[0].contains(#""name":"Door""#) && !snapshot[0].contains(#""name":"Hall""#))
            #expect(try await told(#","events":["click"],"buttons":["Hall","Door"]"#) == ["Hall click", "Door click"])
        }
    }

    @Test("Buttons that come, change and go are told with all that is known of them")
    func buttons() async throws {
        try await SocketScene.play { scene in
            let client = try await scene.client()
            _ = await scene.ask(client, #"{"request":"subscribe","events":["added","changed","removed"]}"#)
            let info = try await scene.pair()
            let added = await client.take()
            #expect(try events(added) == ["added"])
            let status = try JSONDecoder().decode(ButtonStatus.self, from: Data(try #require(added.first).utf8))
            #expect(status.facts.event == "added" && status.facts.uuid == info.uuid && status.facts.address == info.address.description)
            let other = try await scene.client()
            _ = await scene.ask(other, #"{"request":"rename","button":"\#(info.serialNumber)","name":"Hall"}"#)
            let changed = await client.take()
            #expect(try events(changed) == ["changed"] && Line(changed[0]).name == "Hall")
            _ = await scene.ask(other, #"{"request":"forget","button":"Hall"}"#)
            let removed = await client.take()
            #expect(try events(removed) == ["removed"] && Line(removed[0]).button == info.serialNumber)
        }
    }

    @Test("All events that a button or Bluetooth can tell have names that can be asked for")
    func names() {
        let problems: [ButtonNotice] = [
            .connected, .ready, .notReady(.pingTimedOut), .disconnected(nil), .failedToConnect(FlicError(.timedOut)), .unpaired, .renamed("x"),
            .turned(ButtonTurn(buttonNumber: 0, turns: 1, isFirst: true, isLong: false)),
        ]
        let presses = PressEvent.Kind.allCases.map { ButtonNotice.press(PressEvent(kind: $0)) }
        let told = (problems + presses).compactMap { EventRecord($0)?.event } + [EventRecord(.poweredOn).event]
        #expect(Set(told).union(["battery", "added", "changed", "removed"]) == Set(EventFilter.names))
    }

    // MARK: Clients that do not read

    /// Presses told as if made, without the time that they would take.
    private func press(_ scene: SocketScene, _ info: ButtonInfo, _ numbers: Range<Int>) async {
        await scene.server.hear(numbers, info)
    }

    @Test("A client that reads late misses events, and is told how many, just where they are missing")
    func lagging() async throws {
        try await SocketScene.play { scene in
            let info = try await scene.pair()
            let (late, prompt) = (try await scene.client(), try await scene.client())
            for client in [late, prompt] { _ = await scene.ask(client, #"{"request":"subscribe","events":["click"]}"#) }
            await late.pause(true)
            for start in stride(from: 0, to: 6000, by: 100) {
                await press(scene, info, start..<start + 100)
                await scene.pass()
            }
            #expect(await prompt.take().count == 6000)
            await late.pause(false)
            await scene.pass()
            await press(scene, info, 6000..<6001)
            await scene.pass()
            let lines = try await late.take().map { try Line($0) }
            let lag = try #require(lines.firstIndex { $0.event == "lagged" })
            let missed = try #require(lines[lag].count)
            #expect(missed > 0 && lag + missed == 6000 && lag > 100)
            #expect(lines.prefix(lag).map(\.count) == (0..<lag).map { $0 })
            #expect(lines.dropFirst(lag + 1).map(\.count) == [6000])
        }
    }

    @Test("A client that never reads is cut off, and the others do not notice")
    func cutOff() async throws {
        try await SocketScene.play { scene in
            let info = try await scene.pair()
            let (deaf, prompt) = (try await scene.client(), try await scene.client())
            for client in [deaf, prompt] { _ = await scene.ask(client, #"{"request":"subscribe","events":["click"]}"#) }
            await deaf.pause(true)
            var told = 0
            while await scene.server.clients.count == 2, told < 100_000 {
                await press(scene, info, told..<told + 100)
                told += 100
                await scene.pass()
            }
            #expect(told > SocketServer.mostLeftOut && told < 20_000)
            #expect(await prompt.take().count == told)
            #expect(await scene.ask(prompt, #"{"request":"ping"}"#) == [#"{"result":{}}"#])
            #expect(scene.remarks.all.contains("problem socket: a client is cut off: it does not read"))
            await deaf.pause(false)
            await scene.pass()
            #expect(await deaf.isOver)
        }
    }
}

extension SocketServer {
    /// Tells clicks with these counters.
    fileprivate func hear(_ numbers: Range<Int>, _ info: ButtonInfo) {
        for number in numbers { hear(.button(.press(PressEvent(kind: .click, eventCount: UInt32(number))), info)) }
    }
}
