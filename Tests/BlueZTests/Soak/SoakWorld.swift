import BlueZ
import EventLoops
import Fixtures
import FlicClient
import FlicSimulator
import Foundation
import GATT
import Synchronization

/// Some buttons, a bluetoothd, and an application that keeps them connected; on virtual time.
final class SoakWorld: Sendable {
    /// What became of it.
    struct Report: Sendable {
        var faults: [String] = []
        var told = 0
        var queued = 0
        var spells = 0
        /// The longest time from the end of trouble until all buttons were ready.
        var slowestRecovery = Duration.zero
        /// The same where it was a link that was none.
        var slowestDoubt = Duration.zero
        /// What did not grow.
        var inventory = Inventory()
        /// Connect calls, values and the like that the daemon was asked for.
        var calls = 0
    }

    /// From the end of trouble until each button that is pressed is ready.
    static let recoveryLimit = Duration.seconds(120)
    /// The same where the application believes in a link that is none, which it finds out when pings are missing.
    static let phantomLimit = Duration.seconds(300)
    /// Between presses of a button that does not become ready.
    private static let pressPause = Duration.seconds(30)

    let clock: VirtualLoop
    let seed: UInt64
    let story: SoakStory
    private let bus: PrivateBus
    private let fake: FakeBlueZ
    private let buttons: [SimulatedButton]
    private let central: BlueZCentral
    private let flic: Flic
    private let accounts: Mutex<[BluetoothAddress: PressAccount]>

    private static let buttonCount = 4

    /// Starts everything and pairs the buttons.
    init(seed: UInt64, clock: VirtualLoop) async throws {
        self.clock = clock
        self.seed = seed
        story = SoakStory(clock)
        bus = try PrivateBus()
        // One loop for both sides: then nothing runs at the same time as anything else.
        let loop = clock.makeLoop(label: "soak")
        fake = FakeBlueZ(bus: bus.address, loop: loop, timing: .likeBluetoothd)
        var settings = ButtonSettings()
        settings.eventLimit = 100_000
        buttons = (0..<Self.buttonCount).map { SimulatedButton(seed: seed << 8 + UInt64($0), settings: settings, loop: loop) }
        central = BlueZCentral(session: BlueZSession(bus: bus.address, loop: loop) { [story] in story.note("bluez: \($0)") })
        var configuration = FlicConfiguration(central: central, store: MemoryStore(), trustingTestRoot: TestRoot.publicKey)
        configuration.machineIdentity = "machine"
        configuration.date = { Date(timeIntervalSince1970: 1_700_000_000 + clock.now / .seconds(1)) }
        configuration.log = { [story] _, text in story.note("flic: \(text)") }
        flic = Flic(configuration)
        accounts = Mutex([:])

        await fake.setJournalLimit(500)
        for button in buttons { await fake.air.place(button) }
        await fake.addAdapter()
        try await fake.start()
        await flic.observe { [weak self] notice in self?.note(notice) }
        await flic.start()
        for await state in await flic.stateUpdates() where state == .poweredOn { break }
        for button in buttons {
            await button.enterPublicMode()
            _ = try await flic.pair()
            await clock.pause(for: .seconds(2))
            let count = await button.eventCount
            accounts.withLock { $0[button.address] = PressAccount(after: count) }
        }
    }

    private func note(_ notice: FlicNotice) {
        switch notice {
        case .button(let button, let notice, let info):
            if case .press(let event) = notice {
                accounts.withLock { $0[info.address]?.note(event) }
            } else {
                story.note("\(button.info.address): \(notice)")
            }
        case .state(let state): story.note("state \(state)")
        case .restored, .buttonsChanged: break
        }
    }

    // MARK: Living

    /// Lets the time pass, with presses and trouble, and holds what comes of it against the rules.
    ///
    /// - Parameter calm: Called when all is well, now and then.
    func live(for span: Duration, calm: @Sendable () async -> Void = {}) async throws -> Report {
        var report = Report()
        let end = clock.now + span
        let fingers = buttons.enumerated().map { number, button in
            Task(executorPreference: clock) { await self.press(button, seed: self.seed &* 31 &+ UInt64(number)) }
        }
        var random = Random(seed: seed)
        var weather = Weather(seed: seed)
        var before: Inventory?
        while clock.now < end, report.faults.isEmpty {
            await clock.pause(for: .seconds(30 + random.next(900)))
            var hasPhantom = false
            for _ in 0..<1 + random.next(3) {
                let spell = weather.next(buttons: buttons.map(\.address))
                report.spells += 1
                hasPhantom = hasPhantom || spell.kind == .phantom
                story.note("\(spell)")
                try await fake.endure(spell, bus: bus, clock: clock)
                story.note("\(spell.kind) is over")
                await clock.pause(for: .seconds([0, 1, 10][random.next(3)]))
            }
            await recover(&report, hasPhantom: hasPhantom)
            await takeInventory(&before, &report)
            await calm()
        }
        for finger in fingers { finger.cancel() }
        for finger in fingers { await finger.value }
        await closeAccounts(&report)
        return report
    }

    /// Presses all buttons until they are ready and have told everything.
    private func recover(_ report: inout Report, hasPhantom: Bool = false) async {
        let start = clock.now
        while true {
            for button in buttons { await button.click() }
            for _ in 0..<Int(Self.pressPause / .seconds(1)) {
                if await lateButtons.isEmpty { break }
                await clock.pause(for: .seconds(1))
            }
            let time = clock.now - start
            let late = await lateButtons
            if late.isEmpty {
                if hasPhantom {
                    report.slowestDoubt = max(report.slowestDoubt, time)
                } else {
                    report.slowestRecovery = max(report.slowestRecovery, time)
                }
                return
            }
            guard time < (hasPhantom ? Self.phantomLimit : Self.recoveryLimit) else {
                report.faults.append("not ready \(time) after the end of trouble: \(late.joined(separator: ", "))")
                return
            }
        }
    }

    /// Buttons that are not ready, or have not told everything: the application may believe in a link that is none.
    private var lateButtons: [String] {
        get async {
            var late: [String] = []
            for button in buttons {
                let info = await flic.buttons.first { $0.info.address == button.address }?.info
                let count = await button.eventCount
                let isTold = accounts.withLock { $0[button.address]?.isComplete(at: count) } ?? false
                guard info?.isReady != true || !isTold else { continue }
                late.append("\(button.address) is \(info.map { "\($0.state)" } ?? "unknown"), told all: \(isTold)")
            }
            return late
        }
    }

    private func takeInventory(_ before: inout Inventory?, _ report: inout Report) async {
        // What has just happened is to be over: advertising after a press takes a minute, and a device that nobody hears stays half of one.
        await clock.pause(for: .seconds(100))
        guard await lateButtons.isEmpty else { return }
        let inventory = await Inventory.take(clock, fake, central, BusInspector(address: bus.address, clock: clock))
        report.inventory = inventory
        guard let first = before else {
            before = inventory
            return
        }
        report.faults += inventory.growth(since: first)
    }

    private func closeAccounts(_ report: inout Report) async {
        await recover(&report)
        await clock.pause(for: .seconds(10))
        for button in buttons {
            let count = await button.eventCount
            let account = accounts.withLock { accounts in
                accounts[button.address]?.close(at: count)
                return accounts[button.address]
            }
            report.told += account?.told ?? 0
            report.queued += account?.queued ?? 0
            report.faults += (account?.faults ?? []).prefix(5).map { "\(button.address): \($0)" }
        }
    }

    /// Presses a button now and then until the task is cancelled.
    private func press(_ button: SimulatedButton, seed: UInt64) async {
        var random = Random(seed: seed)
        while !Task.isCancelled {
            await clock.pause(for: .seconds([1, 20, 60, 200, 600][random.next(5)]) + .milliseconds(random.next(1000)))
            switch random.next(4) {
            case 0: await button.doubleClick()
            case 1: await button.hold()
            default: await button.click()
            }
        }
    }
}
