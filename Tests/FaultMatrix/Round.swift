import FlicSimulator
import Foundation
import VirtualRadio

/// One fault at one moment in one world: presses before, during and after it, and what becomes of them.
struct Round: Sendable {
    let moment: Moment
    let world: World
    let blow: Blow
    let isLong: Bool

    /// How it went.
    struct Outcome: Sendable {
        let fault: Fault
        let moment: Moment
        let seed: UInt64
        /// From the end of the fault to the first press after it being told.
        var recovery: Duration?
        /// bluetoothd has crashed by itself, and was started again: one more fault to come back from.
        var hasCrashed = false
        var problems: [String] = []
        var lines: [String] = []
    }

    private var chronicle: Chronicle { world.chronicle }
    private var hand: Hand { world.hand }

    /// - Parameter gate: Shared with the rounds that the fault hits as well.
    func run(_ gate: Gate) async -> Outcome {
        let seed = blow.seed
        var outcome = Outcome(fault: blow.fault, moment: moment, seed: seed)
        var random = SeededGenerator(seed: seed &* 31 &+ UInt64(Moment.allCases.firstIndex(of: moment) ?? 0))
        var judge = Judge(fault: blow.fault)
        chronicle.clear()
        chronicle.note("\(blow.fault.rawValue) \(moment.rawValue), seed \(seed)")
        await hand.forget()
        // Left behind by a round that did not end well.
        if await world.button.isAdvertising { await world.button.reboot() }
        judge.countBefore = await world.button.eventCount
        let pairing = await world.storedPairing()
        let crashes = Machine.crashes

        if !(await prepare()) { judge.problems.append("the application was not ready for the fault") }
        _ = await gate.meet()
        if !(await reach(&random)) { judge.problems.append("the moment was not reached") }

        // For all alike: the fault is one.
        var common = SeededGenerator(seed: seed)
        let delay = Double.random(in: 0...0.3, using: &common)
        let duration = Double.random(in: blow.fault.duration(isLong: isLong), using: &common)
        judge.struck = await gate.meet { [blow, chronicle] in
            await sleep(delay)
            chronicle.note("strike")
            await blow.strike()
        }
        await sleep(Double.random(in: 0...0.3, using: &random))
        await world.peripheral.hold(.none)
        await endure(duration - (Chronicle.now - judge.struck) / .seconds(1), &random)
        let repaired = await gate.meet { [blow, chronicle] in
            await blow.repair()
            chronicle.note("repaired")
        }
        await hand.release()
        outcome.recovery = await recover(since: repaired, &random)
        if outcome.recovery == nil {
            judge.problems.append("not back within \(Fault.bound)")
        } else if outcome.recovery! > Fault.bound {
            judge.problems.append("back late")
        }
        judge.recovered = Chronicle.now

        judge.status = await world.endApplication()
        judge.strokes = await hand.strokes
        judge.durations = await hand.durations
        judge.pairings = (pairing, await world.storedPairing())
        judge.pairingCount = await world.button.pairingCount
        judge.hasCrashed = Machine.crashes > crashes
        outcome.hasCrashed = judge.hasCrashed
        outcome.problems = judge.verdict(chronicle)
        for problem in outcome.problems { chronicle.note("PROBLEM \(problem)") }
        outcome.lines = chronicle.lines
        return outcome
    }

    // MARK: Before

    /// With a press that nobody has heard, or with one that was told.
    private func prepare() async -> Bool {
        if !moment.isReady {
            // The button does not advertise for it, and so is silent afterwards.
            let usual = await world.button.settings.advertisingAfterPress
            await world.button.setSettings { $0.advertisingAfterPress = .zero }
            await hand.click()
            await world.button.setSettings { $0.advertisingAfterPress = usual }
        }
        guard (try? await world.startApplication(adapter: blow.choice(of: world))) != nil else { return false }
        guard await chronicle.until(within: .seconds(40), { told("bluetooth") }) else { return false }
        guard moment.isReady else { return true }
        let count = await hand.click()
        return await chronicle.until(within: .seconds(40)) { told("ready") && isTold(count) }
    }

    private func reach(_ random: inout SeededGenerator) async -> Bool {
        let start = Chronicle.now
        switch moment {
        case .idle: await sleep(.random(in: 0.3...3, using: &random))
        case .scanning: return await chronicle.until(within: .seconds(30)) { await Machine.isTrue("Discovering", of: world.adapter) }
        case .connecting:
            await world.peripheral.hold(.fromLink)
            await hand.click()
            return await chronicle.until(within: .seconds(30)) { chronicle.noticed("linked", since: start) }
        case .verifying:
            await world.peripheral.hold(.fromWrite)
            await hand.click()
            return await chronicle.until(within: .seconds(30)) { chronicle.noticed("written", since: start) }
        case .ready: break
        case .press:
            await hand.press()
            await sleep(.random(in: 0...0.2, using: &random))
        }
        return true
    }

    // MARK: During

    /// A press somewhere in the time that is left, or the end of the one that has begun.
    private func endure(_ left: Double, _ random: inout SeededGenerator) async {
        let end = Chronicle.now + .seconds(max(left, 0))
        await sleep(.random(in: 0...1, using: &random) * max(left - 1, 0))
        if await hand.isDown { await hand.release() } else if left > 0 { await hand.click() }
        await sleep((end - Chronicle.now) / .seconds(1))
    }

    // MARK: After

    /// Presses until a press is told; then once more, which has to be told as it happens.
    private func recover(since repaired: Duration, _ random: inout SeededGenerator) async -> Duration? {
        await sleep(.random(in: 0...1, using: &random))
        let first = await hand.click()
        var isBack = false
        // A person presses again when nothing happens.
        while !isBack, Chronicle.now < repaired + Fault.bound {
            isBack = await chronicle.until(within: .seconds(15)) { isTold(first) }
            if !isBack { await hand.click() }
        }
        guard isBack, let item = chronicle.items.first(where: { $0.told.event == "down" && $0.told.count == first }) else { return nil }
        let last = await hand.click()
        guard await chronicle.until(within: .seconds(10), { isTold(last) }) else { return nil }
        // The button takes half a second to decide that a click was one.
        _ = await chronicle.until(within: .seconds(3)) { chronicle.items.last { $0.told.count ?? 0 > last }?.told.event == "click" }
        return item.at - repaired
    }

    private func told(_ event: String) -> Bool { chronicle.items.contains { $0.told.event == event } }

    private func isTold(_ count: UInt32) -> Bool { chronicle.items.contains { $0.told.event == "down" && $0.told.count == count } }
}

private func sleep(_ seconds: Double) async {
    if seconds > 0 { try? await Task.sleep(for: .seconds(seconds)) }
}
