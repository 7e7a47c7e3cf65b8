import ClickClassifier
import FlicClient
import FlicSimulator
import Testing

@Suite("Settings of a button that outlast its sessions (protocol 9.5, 9.6)")
struct ButtonSettingsTests {
    // MARK: Auto disconnect

    @Test("An idle link is closed after the time, at once in a running session; the button is silent until pressed")
    func autoDisconnect() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(100))
            await button.setAutoDisconnectTime(.seconds(60))
            #expect(button.info.autoDisconnectTime == .seconds(60))
            await scene.pass(.seconds(59))
            #expect(await scene.button.isConnected)
            _ = scene.trace.take()
            await scene.pass(.seconds(3))
            #expect(scene.trace.take() == ["disconnected closedByPeer, connecting"])
            await scene.pass(.seconds(3600))
            #expect(await !scene.button.isAdvertising && scene.trace.take() == [])
            await scene.button.click()
            await scene.pass(.seconds(10))
            #expect(scene.trace.take().contains("click queued 0"))
        }
    }

    @Test("Set while away, it holds from the next session on", arguments: [nil, Duration.seconds(60)])
    func nextSession(time: Duration?) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(40))
            await button.setAutoDisconnectTime(time)
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(30))
            #expect(await scene.button.isConnected)
            await scene.pass(.seconds(600))
            #expect(await scene.button.isConnected == (time == nil))
        }
    }

    @Test(
        "The nearest possible time is taken",
        arguments: [
            (.zero, .seconds(40)), (.seconds(39), .seconds(40)), (.seconds(40), .seconds(40)), (.milliseconds(60_999), .seconds(60)),
            (.seconds(510), .seconds(510)), (.seconds(511), .seconds(510)), (.seconds(Int64.max), .seconds(510)),
            (.seconds(Int64.min), .seconds(40)), (.seconds(UInt64.max) * 8, .seconds(510)), (nil, nil),
        ] as [(Duration?, Duration?)]
    )
    func nearestTime(wish: Duration?, time: Duration?) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await button.setAutoDisconnectTime(wish)
            #expect(button.info.autoDisconnectTime == time)
        }
    }

    // MARK: Advertising

    @Test("Set up once for each boot of the button, as the vendor's C library does")
    func sparing() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            #expect(button.info.readvertising == .sparing)
            await scene.pass(.seconds(1))
            #expect(await scene.button.advertisingSetUps == 1)
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(20))
            #expect(await scene.button.advertisingSetUps == 1 && button.info.isReady)
            await scene.button.reboot()
            #expect(await scene.button.advertisingSetUps == 0)
            await scene.button.click()
            await scene.pass(.seconds(20))
            #expect(await scene.button.advertisingSetUps == 1 && button.info.isReady)
        }
    }

    @Test("Set in a running session: asked for at once, not twice, and anew after a reboot")
    func running() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(40))
            await button.setReadvertising(.off)
            await button.setReadvertising(.off)
            await scene.pass(.seconds(1))
            #expect(await scene.button.advertisingSetUps == 2 && button.info.readvertising == .off)
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(20))
            #expect(await !scene.button.isAdvertising && !button.info.isReady)
            await scene.button.click()
            await scene.pass(.seconds(5))
            #expect(await scene.button.advertisingSetUps == 2 && button.info.isReady)
            await scene.button.reboot()
            await scene.button.click()
            await scene.pass(.seconds(5))
            #expect(await scene.button.advertisingSetUps == 1 && button.info.isReady)
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(20))
            #expect(await !scene.button.isAdvertising)
        }
    }

    @Test("An eager button is back within about a second, an hour later, too")
    func eager() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await button.setReadvertising(.eager)
            await scene.pass(.seconds(40))
            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(3600))
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.milliseconds(1500))
            #expect(button.info.isReady)
        }
    }

    @Test("Set while away: asked for in the next start-up, once")
    func away() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(40))
            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(5))
            await button.setReadvertising(.eager)
            await scene.pass(.seconds(5))
            #expect(await scene.button.advertisingSetUps == 1)
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(20))
            #expect(await scene.button.advertisingSetUps == 2)
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(20))
            #expect(await scene.button.advertisingSetUps == 2 && button.info.isReady)
        }
    }

    @Test("Firmware before 6 is never asked", arguments: [5, 6])
    func oldFirmware(version: UInt32) async throws {
        try await Scene.run { scene in
            await scene.button.setFirmwareVersion(version)
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await button.setReadvertising(.eager)
            await scene.pass(.seconds(1))
            #expect(await scene.button.advertisingSetUps == (version < 6 ? 0 : 2))
            await scene.air.loseLink(to: scene.button.address)
            await scene.button.click()
            await scene.pass(.seconds(20))
            #expect(await scene.button.advertisingSetUps == (version < 6 ? 0 : 2) && button.info.isReady)
        }
    }

    @Test("Of times of one's own the nearest possible are taken", arguments: [(31, 32), (32, 32), (16_384, 16_384), (16_385, 16_384)])
    func nearestIntervals(units: Int, possible: Int) {
        let unit = Duration.microseconds(625)
        let mode = ReadvertisingMode.custom(first: unit * units, later: unit * units, duration: .seconds(60))
        #expect(mode.firstInterval == unit * possible && mode.laterInterval == unit * possible && mode.duration == .seconds(60))
        #expect(mode.isActive)
    }

    @Test("Times that no clock knows are times, too")
    func extremeTimes() {
        let least = ReadvertisingMode.custom(first: .seconds(Int64.min), later: .zero, duration: .zero)
        #expect(least.firstInterval == .milliseconds(20) && least.laterInterval == .milliseconds(20) && least.duration == .seconds(1))
        let most = ReadvertisingMode.custom(first: .seconds(Int64.max), later: .seconds(UInt64.max) * 8, duration: .seconds(UInt64.max) * 8)
        #expect(most.firstInterval == .milliseconds(10_240) && most.laterInterval == .milliseconds(10_240))
        #expect(most.duration == .seconds(UInt32.max))
        #expect(ReadvertisingMode.custom(first: .milliseconds(100), later: .seconds(8), duration: .seconds(86_400)) == .sparing)
    }

    // MARK: Both

    @Test("The next run has both, and does not ask for what is set up")
    func restart() async throws {
        try await Scene.run { scene in
            let first = try await scene.pair()
            let mode = ReadvertisingMode.custom(first: .milliseconds(50), later: .seconds(1), duration: .seconds(600))
            await first.setReadvertising(mode)
            await first.setAutoDisconnectTime(.seconds(60))
            await scene.pass(.seconds(40))
            await scene.flic.stop()
            await scene.pass(.seconds(2))
            let flic = Scene.application(on: scene.air, store: scene.store) { $0.readvertising = .off }
            await flic.start()
            let button = try #require(await flic.buttons.first)
            #expect(button.info.readvertising == mode && button.info.autoDisconnectTime == .seconds(60))
            await scene.button.click()
            await scene.pass(.seconds(5))
            #expect(await scene.button.advertisingSetUps == 2 && button.info.isReady)
            await scene.pass(.seconds(60))
            #expect(await !scene.button.isConnected)
        }
    }

    @Test("Limits of one's own hold in the next run, too; without rules of its own a button has the manager's")
    func clickRules() async throws {
        let limits = ClickClassifier.Limits(doubleClick: 20_000, tripleClick: true)
        let all = ClickRules.standard(.clickAndDoubleClickAndHold)
        try await Scene.run { scene in
            let button = try await scene.pair()
            #expect(button.info.clickRules == .standard(.clickAndHold))
            await button.setClickRules(.custom(.clickAndDoubleClick, limits: limits))
            await scene.pass(.seconds(40))
            await scene.flic.stop()
            await scene.pass(.seconds(2))

            let flic = Scene.application(on: scene.air, store: scene.store) { $0.clickRules = all }
            let trace = Trace()
            await trace.follow(flic)
            await flic.start()
            let known = try #require(await flic.buttons.first)
            #expect(known.info.clickRules == .custom(.clickAndDoubleClick, limits: limits))
            await scene.button.click()
            await scene.pass(.seconds(5))
            _ = trace.take()
            for _ in 0..<3 {
                await scene.button.click()
                await scene.pass(.milliseconds(200))
            }
            await scene.pass(.seconds(1))
            #expect(trace.take().last == "tripleClick")
            await known.setClickRules(nil)
            #expect(known.info.clickRules == all)
            await scene.pass(.seconds(1))
            #expect(scene.store.contents.first?.clickRules == nil)
            await flic.stop()
        }
    }

    @Test("Settings of the manager hold for buttons without their own, also where an earlier run had others")
    func defaults() async throws {
        try await Scene.run { scene in
            _ = try await scene.pair()
            await scene.pass(.seconds(40))
            await scene.flic.stop()
            await scene.pass(.seconds(2))
            for _ in 1...2 {
                let flic = Scene.application(on: scene.air, store: scene.store) {
                    $0.readvertising = .eager
                    $0.autoDisconnectTime = .seconds(1)
                }
                await flic.start()
                let button = try #require(await flic.buttons.first)
                #expect(button.info.readvertising == .eager && button.info.autoDisconnectTime == .seconds(40))
                await scene.button.click()
                await scene.pass(.seconds(5))
                #expect(await scene.button.advertisingSetUps == 2 && button.info.isReady)
                await scene.pass(.seconds(40))
                #expect(await !scene.button.isConnected)
                await flic.stop()
            }
        }
    }
}
