import EventLoops
import FlicSimulator

/// Presses a button, and remembers what has to be told of it.
actor Hand {
    /// Something that the button has counted.
    struct Stroke: Equatable {
        let kind: String
        let count: UInt32
    }

    /// From a down to the next, so that no two presses make a double click.
    private static let pause = Duration.seconds(1)

    private let button: SimulatedButton
    private let chronicle: Chronicle
    private(set) var strokes: [Stroke] = []
    /// How long each press took at least and at most, in seconds: a machine that has much to do stands still now and then.
    private(set) var durations: [ClosedRange<Double>] = []
    private var downAt: ClosedRange<Duration>?

    init(_ button: SimulatedButton, _ chronicle: Chronicle) {
        self.button = button
        self.chronicle = chronicle
    }

    var isDown: Bool { downAt != nil }

    /// Begins anew with an empty memory.
    func forget() {
        strokes = []
        durations = []
    }

    /// Pushes the button down, once the last press is over for long enough.
    ///
    /// - Returns: The button's count.
    @discardableResult
    func press() async -> UInt32 {
        let (count, time) = await button.pressed()
        downAt = time
        strokes.append(Stroke(kind: "down", count: count))
        chronicle.note("pressed, \(count)")
        return count
    }

    func release() async {
        guard let downAt else { return }
        let (count, time) = await button.released()
        self.downAt = nil
        strokes.append(Stroke(kind: "up", count: count))
        durations.append((time.lowerBound - downAt.upperBound) / .seconds(1)...(time.upperBound - downAt.lowerBound) / .seconds(1))
        chronicle.note("released, \(count)")
        try? await Task.sleep(for: Self.pause)
    }

    /// A click, and the time after it.
    @discardableResult
    func click() async -> UInt32 {
        let count = await press()
        try? await Task.sleep(for: .milliseconds(100))
        await release()
        return count
    }
}

extension SimulatedButton {
    /// Presses and counts at once.
    fileprivate func pressed() -> (count: UInt32, time: ClosedRange<Duration>) {
        let start = loop.now
        press()
        return (eventCount, start...loop.now)
    }

    fileprivate func released() -> (count: UInt32, time: ClosedRange<Duration>) {
        let start = loop.now
        release()
        return (eventCount, start...loop.now)
    }
}
