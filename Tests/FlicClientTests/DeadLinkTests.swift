import FlicClient
import FlicSimulator
import Testing

/// The system believes in a link that carries nothing (Bluetooth-Devices/bleak-retry-connector#231).
@Suite("Links that are none")
struct DeadLinkTests {
    @Test("Pings are missing: that raises the suspicion, and an unanswered question ends the link; back within 100 s")
    func silent() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(60))
            _ = scene.trace.take()
            await scene.air.strand(scene.button.address)
            await scene.button.click()
            await scene.pass(.seconds(100))
            let told = scene.trace.take()
            #expect(told.prefix(3) == ["disconnected timeout, connecting", "connected, connected", "ready, connected"])
            #expect(told.filter { $0.hasPrefix("click") } == ["click queued \(Self.age(told))"])
            #expect(button.info.isReady)
        }
    }

    private static func age(_ told: [String]) -> Int { told.first { $0.hasPrefix("click") }.flatMap { Int($0.split(separator: " ")[2]) } ?? -1 }

    @Test("It advertises although it has a link, and is heard as another button is waited for: it is asked, and the link ended")
    func advertises() async throws {
        try await Scene.run { scene in
            let other = SimulatedButton(seed: 2, loop: scene.loop)
            await scene.air.place(other)
            await other.enterPublicMode()
            _ = try await scene.flic.pair()
            let button = try await scene.pair()
            await scene.pass(.seconds(60))
            await scene.air.setInRange(false, other.address)
            await scene.pass(.seconds(1))
            _ = scene.trace.take()
            await scene.air.strand(scene.button.address)
            await scene.pass(.seconds(11))
            #expect(button.info.state == .connecting)
            await scene.pass(.seconds(16))  // it is heard at one advertisement, and connected at the next, 8 s later
            #expect(scene.trace.take().prefix(3) == ["disconnected timeout, connecting", "connected, connected", "ready, connected"])
            #expect(button.info.isReady)
        }
    }

    @Test("A public button that advertises beside its link is believed: the link stays")
    func isPublic() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(60))
            let listener = Task { for await _ in await scene.flic.discoveries() {} }
            _ = scene.trace.take()
            await scene.button.enterPublicMode()
            await scene.pass(.seconds(60))
            #expect(!scene.trace.take().contains { $0.hasPrefix("disconnected") || $0.hasPrefix("battery") })
            #expect(button.info.isReady)
            listener.cancel()
        }
    }

    @Test("The computer was asleep: every button is asked; who does not answer is looked for, who does stays", arguments: [true, false])
    func resumed(isStranded: Bool) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(20))
            _ = scene.trace.take()
            if isStranded { await scene.air.strand(scene.button.address) }
            await scene.air.resume()
            await scene.pass(.seconds(11))
            let told = scene.trace.take()
            #expect(told.prefix(1) == [isStranded ? "disconnected timeout, connecting" : "battery 3.0"])
            await scene.pass(.seconds(9))
            #expect(button.info.isReady)
        }
    }

    @Test("A button that answers nobody on a new link: the link is ended for all, and made anew when it is heard")
    func verification() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(40))
            await scene.button.setFaults { $0.neverAnswers = true }
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(45))
            let told = scene.trace.take()
            #expect(told.suffix(2) == ["connected, connected", "disconnected timeout, connecting"])
            #expect(await !scene.button.isConnected)
            await scene.button.setFaults { $0.neverAnswers = false }
            await scene.button.click()
            await scene.pass(.seconds(10))
            #expect(button.info.isReady)
        }
    }
}
