import FlicSimulator
import FoundationEssentials
import Glibc
import Testing

@testable import FlicBridge

@Suite("The daemon's socket: requests")
struct SocketServerTests {
    @Test("Each request has its answer, with its identifier")
    func answers() async throws {
        try await SocketScene.play { scene in
            let client = try await scene.client()
            #expect(await scene.ask(client, #"{"id":1,"request":"ping"}"#) == [#"{"id":1,"result":{}}"#])
            #expect(await scene.ask(client, #"{"id":"a/b","request":"list"}"#) == [#"{"id":"a/b","result":[]}"#])
            #expect(await scene.ask(client, #"{"request":"ping"}"#) == [#"{"result":{}}"#])
            #expect(await scene.ask(client, " \t\r").isEmpty)
            #expect(try await scene.refusal(client, #"{"id":2,"request":"metrics"}"#).reason == "noMetrics")
            #expect(try await scene.refusal(client, #"{"id":2,"request":"cancel"}"#).reason == "notPairing")
            #expect(try await scene.refusal(client, "x").reason == "badRequest")
            #expect(try await scene.refusal(client, #"{"id":2,"request":"forget","button":"x"}"#).reason == "unknownButton")
        }
    }

    @Test("status and list tell how everything is")
    func status() async throws {
        var facts = SocketServer.Facts(version: "1.2.3", store: "/var/lib/flickit")
        facts.problem = { "The adapter is off." }
        facts.metrics = { "a\"b\n# EOF\n" }
        facts.rules = { ["lamp": ["runs": 3]] }
        try await SocketScene.play(facts: facts) { scene in
            let info = try await scene.pair(name: "Hall")
            let client = try await scene.client()
            await scene.button.click()
            await scene.pass(.seconds(1))
            await scene.button.doubleClick()
            await scene.pass(.seconds(1))
            let start = await scene.server.started
            var status: BridgeStatus = try Line.result(await scene.ask(client, #"{"request":"status"}"#).first)
            #expect(status.version == "1.2.3" && status.bluetooth == "poweredOn" && status.problem == nil && status.connected == 1)
            #expect(abs(status.uptime - (scene.clock.now - start) / .seconds(1)) < 0.01)
            #expect(status.clients == 1 && status.store == "/var/lib/flickit" && status.rules == ["lamp": ["runs": 3]])
            #expect(status.connectionLimit == nil)
            let button = try #require(status.buttons.first)
            let now = try #require(await scene.bridge.buttons.first)
            #expect(status.buttons.count == 1 && button.facts == ButtonFacts(now))
            #expect(button.facts.name == "Hall" && button.facts.button == info.serialNumber)
            #expect(button.state == "connected" && button.ready && button.presses == 3 && button.lastSeen == "2026-01-01T00:00:00Z")
            #expect(try Line.result(await scene.ask(client, #"{"request":"list"}"#).first) == status.buttons)
            #expect(try Line.result(await scene.ask(client, #"{"request":"metrics"}"#).first) == "a\"b\n# EOF\n")

            await scene.air.setState(.poweredOff)
            await scene.pass(.seconds(1))
            status = try Line.result(await scene.ask(client, #"{"request":"status"}"#).first)
            #expect(status.bluetooth == "poweredOff" && status.problem == "The adapter is off." && status.connected == 0)
            #expect(status.buttons.first?.ready == false && status.buttons.first?.state == "connecting")
        }
    }

    @Test("Buttons are changed and forgotten, whichever way they are named")
    func changes() async throws {
        try await SocketScene.play { scene in
            let info = try await scene.pair(name: "Hall")
            let client = try await scene.client()
            func change(_ members: String) async throws -> ButtonStatus {
                let status: ButtonStatus = try Line.result(await scene.ask(client, "{\(members)}", .seconds(2)).first)
                #expect(status.facts.button == info.serialNumber)
                return status
            }
            func now() async throws -> ButtonInfo { try #require(await scene.bridge.buttons.first) }
            #expect(try await change(#""request":"rename","button":"hall","name":"Küche""#).facts.name == "Küche")
            #expect(await scene.button.name == "Küche")
            let long = String(repeating: "x", count: 30)
            #expect(try await change(#""request":"rename","button":"Kü","name":"\#(long)""#).facts.name == String(long.prefix(23)))
            #expect(try await change(#""request":"rename","button":"\#(info.serialNumber)","name":"""#).facts.name == nil)
            #expect(await scene.button.name == "")
            _ = try await change(#""request":"mode","button":"\#(info.uuid)","mode":"double""#)
            #expect(try await now().clickRules == .standard(.clickAndDoubleClick))
            _ = try await change(#""request":"mode","button":"\#(info.address)","mode":"all","holdTime":2"#)
            #expect(try await now().clickRules == .custom(.clickAndDoubleClickAndHold, limits: .init(hold: 65_536)))
            let usual = await scene.button.connectionParameters
            _ = try await change(#""request":"latency","button":"\#(info.serialNumber)","latency":"low""#)
            #expect(await scene.button.connectionParameters != usual)
            _ = try await change(#""request":"latency","button":"\#(info.serialNumber)","latency":"normal""#)
            #expect(await scene.button.connectionParameters == usual)
            let policy = try await now().queuePolicy
            _ = try await change(#""request":"queue","button":"\#(info.serialNumber)","policy":"latest:3""#)
            #expect(try await now().queuePolicy == .latest(3))
            _ = try await change(#""request":"queue","button":"\#(info.serialNumber)""#)
            #expect(try await now().queuePolicy == policy)
            _ = try await change(#""request":"autoDisconnect","button":"\#(info.serialNumber)","seconds":60"#)
            #expect(try await now().autoDisconnectTime == .seconds(60))
            _ = try await change(#""request":"autoDisconnect","button":"\#(info.serialNumber)""#)
            #expect(try await now().autoDisconnectTime == nil)
            _ = try await change(#""request":"disconnect","button":"\#(info.serialNumber)""#)
            #expect(try await now().state == .disconnected)
            _ = try await change(#""request":"connect","button":"\#(info.serialNumber)""#)
            #expect(try await now().isReady)
            #expect(try await scene.refusal(client, #"{"request":"mode","button":"\#(info.serialNumber)","mode":"x"}"#).reason == "badValue")
            _ = try await change(#""request":"forget","button":"\#(info.serialNumber)""#)
            #expect(await scene.bridge.buttons.isEmpty)
            #expect(try await scene.refusal(client, #"{"request":"connect","button":"\#(info.serialNumber)"}"#).reason == "unknownButton")
        }
    }

    @Test("Requests of one client are answered in their order, however many come at once")
    func order() async throws {
        try await SocketScene.play { scene in
            let info = try await scene.pair()
            let client = try await scene.client()
            var text = ""
            for number in 0..<500 {
                let request = number.isMultiple(of: 2) ? #""ping""# : #""rename","button":"\#(info.serialNumber)","name":"\#(number)""#
                text += #"{"id":\#(number),"request":\#(request)}"# + "\n"
            }
            await client.send(Array(text.utf8))
            await scene.pass(.seconds(1))
            let lines = try await client.take().map { try Line($0) }
            #expect(lines.map(\.id) == (0..<500).map { .number($0) })
            #expect(lines.allSatisfy { $0.error == nil })
            #expect(await scene.bridge.buttons.first?.nickname == "499")
        }
    }

    @Test("A client that shuts its side down has its requests answered, the last one without an end of line, too")
    func halfClosed() async throws {
        try await SocketScene.play { scene in
            let client = try await scene.client()
            await client.send(#"{"id":1,"request":"ping"}"#)
            await client.send(Array(#"{"id":2,"request":"ping"}"#.utf8))
            await scene.pass()
            await client.finish()
            await scene.pass()
            #expect(await client.take() == [#"{"id":1,"result":{}}"#, #"{"id":2,"result":{}}"#])
            #expect(await client.isOver)
            #expect(await scene.server.clients.isEmpty)
        }
    }

    @Test("Clients end with the server, its file goes, and it can be started anew at the same place")
    func restart() async throws {
        try await SocketScene.play { scene in
            let client = try await scene.client()
            await scene.server.stop()
            await scene.pass()
            #expect(await client.isOver)
            #expect(!FileManager.default.fileExists(atPath: scene.path))
            await scene.server.start(try BoundSocket(try SocketPlace(scene.path, isShared: false)))
            #expect(await scene.ask(try await scene.client(), #"{"request":"ping"}"#) == [#"{"result":{}}"#])
        }
    }
}
