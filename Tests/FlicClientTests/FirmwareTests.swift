import FlicClient
import FlicSimulator
import Testing

@Suite("Firmware updates (protocol 9.4)")
struct FirmwareTests {
    typealias Product = FirmwareImage.Product

    private static func image(_ version: UInt32 = 11, size: Int = 20_000, product: Product = .flic2, seed: UInt64 = 0) -> FirmwareImage {
        SimulatedFirmware.image(version: version, size: size, product: product, seed: seed)
    }

    /// Waits until the update has acknowledged so many bytes.
    private static func reach(_ position: Int, _ story: FirmwareStory, _ scene: Scene) async {
        while !story.isOver, story.positions.last ?? 0 < position { await scene.pass(.milliseconds(1)) }
    }

    @Test("From the first byte to the new version", arguments: Product.allCases, [23, 140])
    func whole(_ product: Product, mtu: Int) async throws {
        guard product != .twist || mtu == 140 else { return }  // there is no session
        try await Scene.run(identity: .make(seed: 1, product: product.device), mtu: mtu) { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            let boot = await scene.button.bootID
            let image = Self.image(product: product)
            let story = FirmwareStory(scene.loop, button, image)
            await scene.pass(.seconds(60))
            #expect(story.failure == nil && story.isOver)
            #expect(story.phases == ["transferring", "restarting", "finished 10 11"])
            #expect(story.positions == story.positions.sorted() && story.positions.first == 0)
            #expect(story.positions.last == image.size - (product == .flic2 ? 8 : 76))
            #expect(button.info.firmwareVersion == 11 && button.info.isReady)
            #expect(await scene.button.firmwareVersion == 11)
            #expect(await scene.button.bootID != boot)
        }
    }

    @Test("An image for another kind of device is not sent", arguments: [true, false])
    func wrongProduct(isDuo: Bool) async throws {
        try await Scene.run(identity: .make(seed: 1, product: isDuo ? .duo : .flic2)) { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            let story = FirmwareStory(scene.loop, button, Self.image(product: isDuo ? .flic2 : .duo))
            await scene.pass(.seconds(5))
            #expect(story.failure == "wrongProduct")
            #expect(await scene.button.firmwareUpdatePosition == nil)
        }
    }

    @Test("Presses and names go on meanwhile")
    func beside() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            await scene.button.setFaults { $0.frameDelay = .milliseconds(200) }
            _ = scene.trace.take()
            let story = FirmwareStory(scene.loop, button, Self.image(size: 100_000))
            await Self.reach(2000, story, scene)
            await scene.button.click()
            await button.setNickname("Hall")
            await scene.pass(.seconds(2))
            #expect(!story.isOver)
            #expect(scene.trace.take() == ["down", "up", "click"])
            #expect(await scene.button.name == "Hall")
        }
    }

    @Test("Lost links: it goes on where the button says, and no byte that arrived is asked for again", arguments: Product.allCases)
    func lostLinks(_ product: Product) async throws {
        try await Scene.run(identity: .make(seed: 1, product: product.device)) { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            await scene.button.setFaults { $0.frameDelay = .milliseconds(50) }
            let story = FirmwareStory(scene.loop, button, Self.image(size: 40_000, product: product))
            for position in [5000, 15_000, 25_000] {
                await Self.reach(position, story, scene)
                let before = await scene.button.firmwareUpdatePosition
                await scene.air.loseLink(to: scene.button.address)
                #expect(await scene.button.firmwareUpdatePosition == before)
                await scene.pass(.milliseconds(10))
            }
            await scene.pass(.seconds(60))
            #expect(story.failure == nil)
            let leg = ["transferring", "waiting"]
            #expect(story.phases == leg + leg + leg + ["transferring", "restarting", "finished 10 11"])
            #expect(story.positions == story.positions.sorted())
        }
    }

    @Test("A link that is lost with the last packet: only the version tells whether it was enough")
    func lostAtTheEnd() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            // The button gets all of it and restarts, but its last words are lost.
            await scene.button.setFaults { $0.frameDelay = .milliseconds(50) }
            let story = FirmwareStory(scene.loop, button, Self.image(size: 1000))
            while await scene.button.firmwareUpdatePosition != 248, !story.isOver { await scene.pass(.milliseconds(1)) }
            await scene.air.loseLink(to: scene.button.address)
            await scene.button.click()  // it has restarted, and is silent
            await scene.pass(.seconds(60))
            #expect(story.failure == nil)
            #expect(story.phases == ["transferring", "waiting", "finished 10 11"])
        }
    }

    @Test("A link that is lost when all is sent and nothing has arrived: the version is the old one, so it goes on")
    func lostBeforeTheEnd() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            await scene.button.setFaults { $0.frameDelay = .milliseconds(50) }
            let story = FirmwareStory(scene.loop, button, Self.image(size: 1000))
            // The button has got the start, and gets nothing more.
            while await scene.button.firmwareUpdatePosition == nil { await scene.pass(.milliseconds(1)) }
            await scene.button.setFaults { $0.nextLostToButton = 9 }
            while story.updates.isEmpty { await scene.pass(.milliseconds(1)) }
            await scene.pass(.milliseconds(200))
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(60))
            #expect(story.failure == nil)
            #expect(story.phases == ["transferring", "waiting", "transferring", "restarting", "finished 10 11"])
        }
    }

    @Test("The battery taken out in the middle: from the beginning")
    func reboot() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            await scene.button.setFaults { $0.frameDelay = .milliseconds(50) }
            let story = FirmwareStory(scene.loop, button, Self.image(size: 40_000))
            await Self.reach(20_000, story, scene)
            await scene.button.reboot()
            await scene.button.click()
            await scene.pass(.seconds(100))
            #expect(story.failure == nil)
            #expect(story.phases.last == "finished 10 11" && story.positions.filter { $0 == 0 }.count == 2)
        }
    }

    @Test("A button that forgets each time how far it was is given up at last")
    func forgetful() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            await scene.button.setFaults { $0.frameDelay = .milliseconds(50) }
            let story = FirmwareStory(scene.loop, button, Self.image(size: 40_000))
            for _ in 0..<20 where !story.isOver {
                await Self.reach(5000, story, scene)
                await scene.button.reboot()
                await scene.button.click()
                await scene.pass(.seconds(1))
            }
            #expect(story.failure == "noProgress")
        }
    }

    @Test("The same version again: the new boot tells that it was installed")
    func sameVersion() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            let story = FirmwareStory(scene.loop, button, Self.image(10))
            await scene.pass(.seconds(60))
            #expect(story.phases.last == "finished 10 10")
        }
    }

    @Test("Wrong signature, busy, refused: clear errors, and the button goes on with what it has")
    func refusals() async throws {
        let faults: [(String, @Sendable (inout Faults) -> Void)] = [
            ("invalidSignature", { $0.refusesFirmware = true }), ("busy", { $0.isFirmwareBusy = true }),
            ("refused", { $0.refusesFirmwareStart = true }),
        ]
        for (failure, fault) in faults {
            try await Scene.run { scene in
                let button = try await scene.pair()
                await scene.pass(.seconds(5))
                await scene.button.setFaults(fault)
                let story = FirmwareStory(scene.loop, button, Self.image())
                await scene.pass(.seconds(30))
                #expect(story.failure == failure)
                #expect(button.info.isReady && button.info.firmwareVersion == 10)
                // And the next one succeeds.
                await scene.button.setFaults { $0 = Faults() }
                let next = FirmwareStory(scene.loop, button, Self.image())
                await scene.pass(.seconds(30))
                #expect(next.phases.last == "finished 10 11")
            }
        }
    }

    @Test("A button that waits for its restart after somebody else's update")
    func awaitsRestart() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            let other = Scene.application(on: scene.air, store: MemoryStore(), machine: "other")
            await other.start()
            await scene.button.enterPublicMode()
            let theirs = try await other.pair()
            await scene.pass(.seconds(5))
            await scene.button.setFaults { $0.frameDelay = .milliseconds(200) }
            let first = FirmwareStory(scene.loop, theirs, Self.image(size: 1000))
            while await scene.button.firmwareUpdatePosition != 248 { await scene.pass(.milliseconds(1)) }
            let second = FirmwareStory(scene.loop, button, Self.image(12, size: 1000))
            await scene.pass(.seconds(60))
            #expect(first.phases.last == "finished 10 11")
            #expect(second.failure == "awaitsRestart")
            await other.stop()
        }
    }

    @Test("Two clients at once: the second one is told so")
    func busy() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            let other = Scene.application(on: scene.air, store: MemoryStore(), machine: "other")
            await other.start()
            await scene.button.enterPublicMode()
            let theirs = try await other.pair()
            await scene.pass(.seconds(5))
            await scene.button.setFaults { $0.frameDelay = .milliseconds(100) }
            let first = FirmwareStory(scene.loop, theirs, Self.image())
            await Self.reach(1000, first, scene)
            let second = FirmwareStory(scene.loop, button, Self.image())
            let third = FirmwareStory(scene.loop, theirs, Self.image())
            await scene.pass(.seconds(100))
            #expect(first.phases.last == "finished 10 11" && second.failure == "busy" && third.failure == "alreadyUpdating")
            await other.stop()
        }
    }

    @Test("Out of reach: patience ends, but not while something comes forward")
    func patience() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(40))
            await scene.air.setInRange(false, scene.button.address)
            let first = FirmwareStory(scene.loop, button, Self.image(), patience: .seconds(20))
            await scene.pass(.seconds(19))
            #expect(first.phases == ["waiting"] && !first.isOver)
            await scene.pass(.seconds(2))
            #expect(first.failure == "noProgress")
            let second = FirmwareStory(scene.loop, button, Self.image(), patience: .seconds(60))
            await scene.pass(.seconds(30))
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(60))
            #expect(second.phases == ["waiting", "transferring", "restarting", "finished 10 11"])
        }
    }

    @Test("A button that takes everything and acknowledges nothing")
    func silent() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            await scene.button.setFaults { $0.frameDelay = .milliseconds(50) }
            let story = FirmwareStory(scene.loop, button, Self.image(size: 40_000))
            await Self.reach(5000, story, scene)
            await scene.button.setFaults { $0.nextLostFromButton = .max }
            await scene.pass(.seconds(130))
            #expect(story.failure == "noProgress")
        }
    }

    @Test("Cancelled: the button keeps what it has, and the next update goes on from there")
    func cancel() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            await scene.button.setFaults { $0.frameDelay = .milliseconds(50) }
            let story = FirmwareStory(scene.loop, button, Self.image(size: 40_000))
            await Self.reach(10_000, story, scene)
            story.cancel()
            await scene.pass(.seconds(1))
            let position = try #require(await scene.button.firmwareUpdatePosition)
            await scene.pass(.seconds(10))
            #expect(await scene.button.firmwareUpdatePosition == position && button.info.isReady)
            let next = FirmwareStory(scene.loop, button, Self.image(size: 40_000))
            await scene.pass(.seconds(60))
            #expect(next.positions.first == position * 4 && next.phases.last == "finished 10 11")
        }
    }

    @Test("disconnect(), forgetting, a void pairing, the end of the program: the reader is told at once")
    func endings() async throws {
        let endings: [(String, @Sendable (Scene, FlicButton) async throws -> Void)] = [
            ("notConnecting", { _, button in await button.disconnect() }),
            ("alreadyForgotten", { scene, button in try await scene.flic.forget(button) }),
            ("cancelled", { scene, _ in await scene.flic.stop() }),
            (
                "unpaired",
                { scene, _ in
                    await scene.button.removePairings()
                    await scene.air.loseLink(to: scene.button.address)
                }
            ),
        ]
        for (failure, end) in endings {
            try await Scene.run { scene in
                let button = try await scene.pair()
                await scene.pass(.seconds(5))
                await scene.button.setFaults { $0.frameDelay = .milliseconds(50) }
                let story = FirmwareStory(scene.loop, button, Self.image(size: 40_000))
                await Self.reach(5000, story, scene)
                try await end(scene, button)
                await scene.pass(.seconds(20))
                #expect(story.failure == failure)
                // And one that cannot begin.
                let next = FirmwareStory(scene.loop, button, Self.image())
                await scene.pass(.seconds(1))
                #expect(next.failure == failure && next.updates == [])
            }
        }
    }

    @Test("A trace has nothing of the payload in it, and replays")
    func trace() async throws {
        let recording = try Recording()
        let image = Self.image(size: 3000)
        let loop = VirtualLoop(patience: .seconds(30))
        try await loop.run {
            let air = SimulatedAir(loop: loop, mtu: 23)
            let simulated = SimulatedButton(seed: 1, loop: loop)
            await air.place(simulated)
            let flic = Scene.application(on: air, store: MemoryStore()) { $0.recorder = recording.recorder }
            await flic.start()
            await simulated.enterPublicMode()
            let button = try await flic.pair()
            await loop.pause(for: .seconds(5))
            let story = FirmwareStory(loop, button, image)
            await loop.pause(for: .seconds(30))
            #expect(story.phases.last == "finished 10 11")
            await flic.stop()
        }
        let text = try await recording.lines.joined()
        let bytes = SimulatedFirmware.file(image)
        for start in stride(from: 8, to: bytes.count - 8, by: 4) {
            let piece = bytes[start..<start + 8].map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            #expect(!text.contains(piece))
        }
        #expect(text.contains("updateFirmware") && text.contains("firmwareInstalled") && text.contains("firmwareProgress"))
        #expect(try await recording.replay().differences.map(\.description) == [])
    }
}
