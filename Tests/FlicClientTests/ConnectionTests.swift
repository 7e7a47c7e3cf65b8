import FlicClient
import FlicSimulator
import Testing

@Suite("Connection (contract B.6.4)")
struct ConnectionTests {
    @Test("A lost link is made again, and what was pressed meanwhile comes with its age")
    func linkLoss() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(2))
            _ = scene.trace.take()
            await scene.air.setInRange(false, scene.button.address)
            #expect(button.info.state == .connecting && !button.info.isReady)
            await scene.button.click()
            await scene.pass(.seconds(60))
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(10))
            #expect(
                scene.trace.take() == [
                    "disconnected timeout, connecting", "connected, connected", "ready, connected", "down queued 68", "up queued 68",
                    "click queued 68", "queue finished", "battery 3.0",
                ]
            )
        }
    }

    @Test("Starting returns also if another start is just coming to its end", arguments: 0...12)
    func start(turns: Int) async throws {
        let loop = VirtualLoop()
        try await loop.run(timeLimit: .seconds(60)) {
            let flic = Scene.application(on: SimulatedAir(loop: loop), store: MemoryStore())
            let first = Task(executorPreference: loop) { await flic.start() }
            for _ in 0..<turns { await Task.yield() }
            await flic.start()
            await first.value
            #expect(await flic.buttons.isEmpty)
        }
    }

    @Test("The wish never times out: a week later a press brings the button back")
    func oneWeek() async throws {
        try await Scene.run(timeLimit: .seconds(30 * 24 * 3600)) { scene in
            let button = try await scene.pair()
            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(7 * 24 * 3600))
            #expect(button.info.state == .connecting)
            _ = scene.trace.take()
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == [])
            await scene.button.click()
            await scene.pass(.seconds(2))
            #expect(scene.trace.take().prefix(3) == ["connected, connected", "ready, connected", "down queued 0"])
        }
    }

    @Test("disconnect() ends link and wish; connect() brings both back after a press")
    func disconnectAndConnect() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            _ = scene.trace.take()
            await button.disconnect()
            #expect(button.info.state == .disconnecting)
            await scene.pass(.seconds(5))
            #expect(button.info.state == .disconnected)
            await scene.button.click()
            await scene.pass(.seconds(5))
            #expect(scene.trace.take() == ["disconnected nil, disconnected"])
            #expect(scene.store.contents.first?.wantsConnection == false)
            await button.connect()
            #expect(button.info.state == .connecting)
            await scene.pass(.seconds(1))
            #expect(scene.trace.take().prefix(2) == ["connected, connected", "ready, connected"])
            await button.connect()
            await scene.pass(.seconds(1))
            #expect(!scene.trace.take().contains { $0.hasPrefix("connected") })
        }
    }

    @Test("connect() while disconnecting: told as gone in state connecting, then connected anew")
    func connectWhileDisconnecting() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(40))  // public mode is over
            _ = scene.trace.take()
            await button.disconnect()
            await button.connect()
            #expect(button.info.state == .disconnecting)
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["disconnected nil, connecting"])
            await scene.button.click()
            await scene.pass(.seconds(2))
            #expect(scene.trace.take().first == "connected, connected")
        }
    }

    @Test("Cancelling a pending connection tells nothing")
    func cancelPending() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(5))
            _ = scene.trace.take()
            await button.disconnect()
            #expect(button.info.state == .disconnected)
            await scene.air.setInRange(true, scene.button.address)
            await scene.button.click()
            await scene.pass(.seconds(10))
            #expect(scene.trace.take() == [])
        }
    }

    @Test("The next run of the program: buttons restored, connected, and no press told twice")
    func restart() async throws {
        try await Scene.run { scene in
            let first = try await scene.pair()
            await first.setNickname("Hall")
            await first.setClickRules(.standard(.clickAndDoubleClick))
            await scene.button.click()
            await scene.pass(.seconds(2))
            await scene.flic.stop()
            await scene.pass(.seconds(2))
            await scene.button.click()
            await scene.pass(.seconds(2))

            let flic = Scene.application(on: scene.air, store: scene.store)
            let trace = Trace()
            await trace.follow(flic)
            await flic.start()
            let button = try #require(await flic.buttons.first)
            #expect(button.identifier == first.identifier && button.info.nickname == "Hall" && button.info.state == .connecting)
            #expect(button.info.clickRules == .standard(.clickAndDoubleClick))
            await scene.pass(.seconds(5))
            #expect(
                trace.take() == [
                    "restored 1", "state poweredOn", "connected, connected", "ready, connected", "down queued 2", "up queued 2",
                    "click queued 2", "queue finished", "battery 3.0",
                ]
            )
        }
    }

    @Test(
        "Bluetooth off and on: the manager first, then the button; back without help",
        arguments: [
            CentralState.poweredOff, .resetting, .unsupported(.missing),
        ]
    )
    func power(state: CentralState) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            _ = scene.trace.take()
            await scene.air.setState(state)
            await scene.pass(.seconds(5))
            #expect(scene.trace.take() == ["state \(state)", "disconnected notPoweredOn, connecting"])
            await scene.air.setState(.poweredOn)
            await scene.button.click()
            await scene.pass(.seconds(3))
            #expect(scene.trace.take().prefix(3) == ["state poweredOn", "connected, connected", "ready, connected"])
            #expect(button.info.isReady)
        }
    }

    @Test("Attempts that fail are repeated with pauses, and not told")
    func failedAttempts() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await scene.air.setInRange(false, scene.button.address)
            await scene.button.setFaults { $0.link = .refused }
            await scene.pass(.seconds(1))
            _ = scene.trace.take()
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(100))
            #expect(scene.trace.take() == [] && button.info.state == .connecting)
            await scene.button.setFaults { $0.link = nil }
            await scene.pass(.seconds(20))
            #expect(scene.trace.take().prefix(2) == ["connected, connected", "ready, connected"])
        }
    }

    @Test(
        "Services missing: the third such link in a row is a failure for good, told after its end",
        arguments: [
            (Faults.Link.serviceMissing, FlicError.Code.serviceNotFound), (.notifyRefused, .notifyRefused), (.bondingRequired, .bondingRequired),
        ]
    )
    func failureForGood(fault: Faults.Link, code: FlicError.Code) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await scene.button.setFaults { $0.link = fault }
            await scene.air.loseLink(to: scene.button.address)
            _ = scene.trace.take()
            // Still in public mode, it can be heard.
            await scene.pass(.seconds(10))
            let useless = ["connected, connected", "disconnected \(code), connecting"]
            #expect(
                scene.trace.take() == useless + useless + [
                    "connected, connected", "disconnected failed, disconnected", "failed \(code), disconnected",
                ]
            )
            await scene.button.setFaults { $0.link = nil }
            await scene.button.click()
            await scene.pass(.seconds(10))
            #expect(scene.trace.take() == [] && button.info.state == .disconnected)
            await button.connect()
            await scene.pass(.seconds(5))
            #expect(button.info.isReady)
        }
    }

    @Test("A link made by another program is taken over")
    func connectedElsewhere() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            let other = Scene.application(on: scene.air, store: MemoryStore())
            await scene.button.enterPublicMode()
            _ = try await other.pair()
            await button.disconnect()
            await scene.pass(.seconds(3))
            #expect(await scene.button.isConnected, "the other program still uses the link")
            _ = scene.trace.take()
            await button.connect()
            await scene.pass(.seconds(3))
            #expect(await scene.button.sessionCount == 2)
            #expect(scene.trace.take().prefix(2) == ["connected, connected", "ready, connected"])
        }
    }
}
