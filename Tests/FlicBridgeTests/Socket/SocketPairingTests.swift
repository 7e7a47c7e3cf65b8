import FlicSimulator
import Testing

@testable import FlicBridge

@Suite("The daemon's socket: pairing")
struct SocketPairingTests {
    @Test("The steps come with the identifier, then the button; other requests are answered meanwhile")
    func steps() async throws {
        try await SocketScene.play { scene in
            let client = try await scene.client()
            await client.send(#"{"id":"p","request":"pair","name":"Hall"}"#)
            await scene.pass(.seconds(5))
            #expect(await scene.ask(client, #"{"id":2,"request":"ping"}"#) == [#"{"id":2,"result":{}}"#])
            await scene.button.enterPublicMode()
            await scene.pass(.seconds(10))
            let lines = await client.take()
            #expect(
                lines.dropLast() == ["discovered", "connected", "verified"].map { #"{"event":"pairing","id":"p","step":"\#($0)"}"# }
            )
            let status: ButtonStatus = try Line.result(lines.last)
            #expect(status.facts.name == "Hall" && status.facts.button == scene.button.identity.serialNumber)
            #expect(await scene.bridge.buttons.map(\.nickname) == ["Hall"])
        }
    }

    @Test("Without a button it ends when its time is over", arguments: [1.0, 30, 100])
    func timeOut(seconds: Double) async throws {
        try await SocketScene.play { scene in
            let client = try await scene.client()
            await client.send(#"{"id":1,"request":"pair","timeout":\#(seconds)}"#)
            await scene.pass(.seconds(seconds - 0.1))
            #expect(await client.take().isEmpty)
            await scene.pass(.seconds(0.2))
            let lines = await client.take()
            #expect(lines.count == 1)
            let line = try Line(lines.first)
            #expect(line.id == .number(1) && line.error?.reason == "noButtonFound")
        }
    }

    @Test("A button that was found in time may be paired within a longer one")
    func late() async throws {
        try await SocketScene.play { scene in
            let client = try await scene.client()
            await client.send(#"{"id":1,"request":"pair","timeout":100}"#)
            await scene.pass(.seconds(80))
            await scene.button.enterPublicMode()
            await scene.pass(.seconds(10))
            let status: ButtonStatus = try Line.result(await client.take().last)
            #expect(status.facts.button == scene.button.identity.serialNumber)
        }
    }

    @Test("It can be cancelled, and begun again; one at a time")
    func cancelling() async throws {
        try await SocketScene.play { scene in
            let (client, other) = (try await scene.client(), try await scene.client())
            await client.send(#"{"id":1,"request":"pair"}"#)
            await scene.pass(.seconds(5))
            for (which, id) in [(client, 2), (other, 3)] {
                #expect(try await scene.refusal(which, #"{"id":\#(id),"request":"pair"}"#).reason == "alreadyPairing")
            }
            #expect(try await scene.refusal(other, #"{"id":3,"request":"cancel"}"#).reason == "notPairing")
            let lines = try await scene.ask(client, #"{"id":4,"request":"cancel"}"#).map { try Line($0) }
            #expect(Set(lines.map(\.id)) == [.number(4), .number(1)])
            #expect(lines.first { $0.id == .number(1) }?.error?.reason == "cancelled")
            await scene.button.enterPublicMode()
            await client.send(#"{"id":5,"request":"pair"}"#)
            await scene.pass(.seconds(10))
            #expect(try Line(await client.take().last).error == nil)
            #expect(await scene.bridge.buttons.count == 1)
        }
    }

    @Test("It ends with its client, however that goes", arguments: [true, false])
    func vanished(hasFinished: Bool) async throws {
        try await SocketScene.play { scene in
            let (client, other) = (try await scene.client(), try await scene.client())
            await client.send(#"{"id":1,"request":"pair"}"#)
            await scene.pass(.seconds(5))
            if hasFinished { await client.finish() } else { await client.leave() }
            await scene.pass(.seconds(1))
            #expect(await scene.server.clients.count == 1)
            await scene.button.enterPublicMode()
            await scene.pass(.seconds(10))
            #expect(await scene.bridge.buttons.isEmpty)
            await other.send(#"{"id":1,"request":"pair"}"#)
            await scene.pass(.seconds(10))
            #expect(try Line(await other.take().last).error == nil)
        }
    }

    @Test("A value that means nothing begins nothing")
    func badTime() async throws {
        try await SocketScene.play { scene in
            let client = try await scene.client()
            #expect(try await scene.refusal(client, #"{"id":1,"request":"pair","timeout":0}"#).reason == "badValue")
            #expect(try await scene.refusal(client, #"{"id":1,"request":"cancel"}"#).reason == "notPairing")
        }
    }
}
