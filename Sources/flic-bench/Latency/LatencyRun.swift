import BlueZ
import DBus
import EventLoops
import FlicBridge
import FlicClient
import FlicSimulator
import Synchronization

/// Presses a button, again and again, and takes the times at which programs know of it.
struct LatencyRun {
    /// Between two presses, and how long each may take.
    private static let pause = Duration.milliseconds(250)
    private static let patience = Duration.seconds(30)

    let stage: LatencyStage
    let loop: DispatchLoop
    /// Path of the other program.
    let listener: String?

    func report(presses: Int) async throws -> Report {
        let times = LatencyTimes()
        var configuration = FlicConfiguration(
            central: BlueZCentral(session: stage.session),
            store: MemoryStore(),
            trustingTestRoot: TestRoot.publicKey
        )
        configuration.log = { _, _ in }
        let flic = Flic(configuration)
        await flic.observe { notice in
            if case .button(_, .press(let press), _) = notice, press.kind == .down { times.told() }
        }
        do {
            await flic.start()
            await stage.button.enterPublicMode()
            try await flic.pair().ready()
            let listening = listener.map { listen($0, times) }
            defer { listening?.cancel() }
            if listening != nil { try await wait { times.isListening } }
            for _ in 0..<presses {
                await loop.pause(for: Self.pause)
                times.begin()
                await stage.button.press()
                try await wait { times.isComplete(withListener: listener != nil) }
                times.end()
                await stage.button.release()
            }
        } catch {
            await end(flic)
            throw error
        }
        await end(flic)
        let (ours, bare) = times.all
        let figures = [Figure("flickit", times: ours), Figure("bare", times: bare)]
        return Report(measurement: Measurement.latency.name, conditions: ["transport": stage.transport], figures: figures.compactMap(\.self))
    }

    private func end(_ flic: Flic) async {
        await flic.stop()
        await stage.end()
    }

    private func listen(_ path: String, _ times: LatencyTimes) -> Task<Void, Never> {
        let bus = if case .address(let address) = stage.bus { address } else { "system" }
        let launch = ProgramLaunch(command: [path, bus], timeout: .seconds(3600))
        let runner = ProcessRunner(loop: DispatchLoop(label: "listener"))
        return Task { _ = await runner.run(launch) { times.said($0) } }
    }

    private func wait(until isOver: () -> Bool) async throws {
        let end = loop.now + Self.patience
        while !isOver() {
            guard loop.now < end else { throw Invocation.Failure("A press was not heard within \(Self.patience.components.seconds) s.") }
            await loop.pause(for: .milliseconds(5))
        }
    }
}

/// The times of presses. One press is on its way at a time.
final class LatencyTimes: Sendable {
    private struct State {
        var isListening = false
        var start: UInt64 = 0
        var ours: UInt64?
        var bare: UInt64?
        var all: (ours: [UInt64], bare: [UInt64]) = ([], [])
    }

    private let state = Mutex(State())

    /// The other program is there.
    var isListening: Bool { state.withLock(\.isListening) }

    /// Nanoseconds of all presses.
    var all: (ours: [UInt64], bare: [UInt64]) { state.withLock(\.all) }

    /// The button is pressed now.
    func begin() {
        state.withLock { state in
            (state.ours, state.bare) = (nil, nil)
            state.start = MonotonicTime.now
        }
    }

    /// The event has been told.
    func told() {
        let now = MonotonicTime.now
        state.withLock { $0.ours = now }
    }

    /// The other program has printed a line.
    func said(_ line: String) {
        state.withLock { state in
            if line == "listens" { state.isListening = true }
            // The first notification of a press is that with the down.
            if let time = UInt64(line), time >= state.start, state.bare == nil { state.bare = time }
        }
    }

    func isComplete(withListener: Bool) -> Bool { state.withLock { $0.ours != nil && (!withListener || $0.bare != nil) } }

    /// All who are to know of the press do.
    func end() {
        state.withLock { state in
            if let ours = state.ours { state.all.ours.append(ours - state.start) }
            if let bare = state.bare { state.all.bare.append(bare - state.start) }
        }
    }
}
