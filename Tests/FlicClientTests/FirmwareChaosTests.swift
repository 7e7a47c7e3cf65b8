import Fixtures
import FlicClient
import FlicSimulator
import Testing

@Suite("Firmware updates whatever happens to the link")
struct FirmwareChaosTests {
    @Test("100 random schedules: in the end the version is right or the error is clear, and nothing hangs", arguments: UInt64(1)...100)
    func chaos(seed: UInt64) async throws {
        let product = FirmwareImage.Product.allCases[Int(seed % 3)]
        let mtu = product == .twist || seed.isMultiple(of: 2) ? 140 : 23
        try await Scene.run(seed: seed, identity: .make(seed: seed, product: product.device), mtu: mtu) { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(5))
            var random = Random(seed: seed)
            let delay = [0, 10, 50, 200][random.next(4)]
            await scene.button.setFaults { $0.frameDelay = .milliseconds(delay) }
            let image = SimulatedFirmware.image(version: 11, size: 1000 + 4 * random.next(5000), product: product, seed: seed)
            var stories = [FirmwareStory(scene.loop, button, image, patience: .seconds(60))]
            for _ in 0..<25 {
                await Self.mishap(&random, scene)
                if random.next(8) == 0 { stories[stories.count - 1].cancel() }
                if stories.last?.isOver == true, await scene.button.firmwareVersion == 10 {
                    stories.append(FirmwareStory(scene.loop, button, image, patience: .seconds(60)))
                }
            }
            // Everything is well again.
            await scene.button.setFaults { $0 = Faults() }
            await scene.air.setState(.poweredOn)
            await scene.air.setInRange(true, scene.button.address)
            await scene.button.click()
            for _ in 0..<300 where !(stories.allSatisfy(\.isOver)) { await scene.pass(.seconds(1)) }
            for story in stories {
                #expect(story.isOver, "\(story.phases)")
                #expect(story.failure == nil || ["noProgress", "awaitsRestart"].contains(story.failure), "\(story.phases)")
            }
            await scene.button.click()
            await scene.pass(.seconds(120))
            // What was told as finished has been installed, and if not, the next attempt succeeds.
            let isFinished = stories.contains { $0.phases.last?.hasPrefix("finished") == true }
            if isFinished { #expect(await scene.button.firmwareVersion == 11) }
            if await scene.button.firmwareVersion == 10 {
                let last = FirmwareStory(scene.loop, button, image)
                for _ in 0..<300 where !last.isOver { await scene.pass(.seconds(1)) }
                #expect(last.failure == nil && last.phases.last == "finished 10 11", "\(last.phases) \(last.failure ?? "")")
            }
            // One that was left without a session has hung up meanwhile, and is silent until it is pressed (protocol 2.3).
            await scene.button.click()
            await scene.pass(.seconds(30))
            #expect(await scene.button.firmwareVersion == 11)
            #expect(button.info.firmwareVersion == 11)
        }
    }

    private static func mishap(_ random: inout Random, _ scene: Scene) async {
        switch random.next(9) {
        case 0, 1: await scene.air.loseLink(to: scene.button.address)
        case 2: await scene.air.setInRange(random.next(2) == 0, scene.button.address)
        case 3: await scene.air.setState([.poweredOn, .poweredOff, .resetting][random.next(3)])
        case 4: if random.next(4) == 0 { await scene.button.reboot() }
        case 5: await scene.button.setFaults { $0.packetsUntilDisconnect = 3 }
        case 6: await scene.button.endSessions(reason: UInt8(random.next(4)))
        case 7: await scene.button.setFaults { $0.nextLostFromButton = 1 }
        default: await scene.button.click()
        }
        await scene.pass(.milliseconds([0, 3, 40, 400, 3000, 20_000][random.next(6)]))
    }
}
