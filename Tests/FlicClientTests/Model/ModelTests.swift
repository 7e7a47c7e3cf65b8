import Fixtures
import FlicClient
import FlicSimulator
import Foundation
import Testing

/// Two applications, one button, and everything that can happen to them, against a model that knows each press.
///
/// `FLICKIT_MODEL_PRESSES` sets how many presses there are in all, `FLICKIT_MODEL_SEED` runs one world alone: a failure names its seed.
@Suite("Each press is delivered exactly once, or accounted for")
struct ModelTests {
    private static let pressesInWorld = 500
    private static let worlds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FLICKIT_MODEL_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let presses = environment["FLICKIT_MODEL_PRESSES"].flatMap { Int($0) } ?? 10_000
        return Array(1...UInt64(max(presses / pressesInWorld, 1)))
    }()

    @Test("Link losses, killed programs, reboots, small MTUs, full queues, two applications")
    func model() async throws {
        var sum = Ledger.Account()
        var presses = 0
        var kills = 0
        for seed in Self.worlds {
            let world = try await Self.world(seed)
            presses += world.presses
            kills += world.kills
            for account in world.accounts {
                #expect(account.faults == [], "seed \(seed)")
                sum.told += account.told
                sum.doubled += account.doubled
                sum.overflown += account.overflown
                sum.rebooted += account.rebooted
            }
            for recording in world.recordings {
                let replay = try await recording.replay()
                #expect(replay.differences.prefix(3).map(\.description) == [], "seed \(seed)")
            }
        }
        print("\(presses) presses, \(kills) kills: \(sum)")
        // Two edges a press, two applications; and of many worlds most is told.
        #expect(sum.told - sum.doubled + sum.overflown + sum.rebooted == 4 * presses)
        #expect(Self.worlds.count == 1 || sum.doubled + sum.overflown + sum.rebooted < sum.told / 2)
    }

    private struct World: Sendable {
        var presses: Int
        var kills: Int
        var accounts: [Ledger.Account]
        var recordings: [Recording] = []
    }

    /// In so many worlds applications record what happens; it has to replay without difference.
    private static let recordedWorlds: UInt64 = 4

    private static func world(_ seed: UInt64) async throws -> World {
        var random = Random(seed: seed)
        var settings = ButtonSettings()
        let overflows = seed % 4 == 0
        settings.eventLimit = overflows ? 24 : 100_000
        settings.eventsPerNotification = 1 + random.next(16)
        settings.countsQueueInAnswer = random.next(2) == 0
        let mtu = [23, 24, 47, 140][random.next(4)]
        return try await Scene.run(seed: seed, settings: settings, mtu: mtu, timeLimit: .seconds(60 * 24 * 3600)) { [random] in
            try await play($0, random, fullQueue: overflows ? 24 / 2 - 2 : nil, isRecorded: seed <= recordedWorlds)
        }
    }

    private static func play(_ scene: Scene, _ first: Random, fullQueue: Int?, isRecorded: Bool) async throws -> World {
        var random = first
        let applications = [QueuePolicy.all, .latest(1_000_000)].map { MortalApplication(scene, policy: $0, isRecorded: isRecorded) }
        for application in applications { try await application.pair() }
        await scene.pass(.seconds(2))
        let start = await scene.button.eventCount
        for application in applications { application.ledger.begin(after: start, fullQueue: fullQueue) }

        var presses = 0
        while presses < pressesInWorld {
            presses += await happening(&random, scene, applications)
            await scene.pass(pauses[random.next(pauses.count)])
        }

        // Everything is well again, and what was kept back comes.
        await scene.button.setFaults { $0 = Faults() }
        await scene.air.setState(.poweredOn)
        await scene.air.setInRange(true, scene.button.address)
        for application in applications { application.store.setDelay(.zero) }
        for _ in 0..<4 {
            for application in applications { await application.button?.connect() }
            await scene.button.press(for: .milliseconds(700))
            presses += 1
            await scene.pass(.seconds(70))
        }
        // A session whose end got lost is noticed with the next question for the battery.
        if await scene.button.sessionCount < applications.count { await scene.pass(.seconds(3 * 3600 + 60)) }
        let end = await scene.button.eventCount
        var world = World(presses: presses, kills: 0, accounts: [])
        for application in applications {
            application.ledger.end(at: end, isReboot: false)
            world.accounts.append(application.ledger.account)
            world.kills += await application.kills
            world.recordings += await application.recordings
        }
        return world
    }

    private static let pauses: [Duration] = [
        .zero, .microseconds(1), .microseconds(700), .milliseconds(3), .milliseconds(40), .milliseconds(400), .seconds(3), .seconds(20),
    ]

    /// One thing happens.
    ///
    /// - Returns: How many presses it was.
    private static func happening(_ random: inout Random, _ scene: Scene, _ applications: [MortalApplication]) async -> Int {
        let application = applications[random.next(2)]
        switch random.next(24) {
        case 0...7:
            let count = 1 + random.next(12)
            for _ in 0..<count {
                await scene.button.press(for: .milliseconds([30, 100, 300, 700, 1300][random.next(5)]))
                await scene.pass(.milliseconds([20, 150, 600][random.next(3)]))
            }
            return count
        case 8, 9: await scene.air.loseLink(to: scene.button.address)
        case 10, 11: await scene.air.setInRange(random.next(3) > 0, scene.button.address)
        case 12: await scene.air.setState([.poweredOn, .poweredOn, .poweredOff, .resetting][random.next(4)])
        case 13: await scene.button.setFaults { $0.packetsUntilDisconnect = 2 }
        case 14: await scene.button.endSessions(reason: UInt8(random.next(4)))
        case 15: await scene.button.setFaults { $0.nextLostFromButton = 1 }
        case 16: await scene.button.setFaults { $0.nextDamagedSignatures = 1 }
        case 17: application.store.setDelay([.zero, .milliseconds(1), .milliseconds(30), .seconds(2)][random.next(4)])
        case 18...20:
            await application.kill()
            if random.next(2) == 0 { await scene.pass(pauses[random.next(pauses.count)]) }
            await application.start()
        case 21: await application.button?.disconnect()
        case 22: await application.button?.connect()
        default:
            guard random.next(30) == 0 else { break }
            let count = await scene.button.eventCount
            await scene.button.reboot()
            for application in applications { application.ledger.end(at: count, isReboot: true) }
        }
        return 0
    }
}
