import Synchronization
import Testing

@testable import flic_bench

@Suite("Measurements: the times of a press")
struct PressTimesTests {
    /// A clock that is set by hand.
    private final class Clock: Sendable {
        private let time = Mutex<UInt64>(0)

        var now: UInt64 {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }
    }

    private let clock = Clock()
    private let times: PressTimes

    init() { times = PressTimes { [clock] in clock.now } }

    private func at(_ time: UInt64, _ body: () -> Void) {
        clock.now = time
        body()
    }

    @Test("They count from the notification that told the press, not from a later one")
    func fromNotification() async {
        at(100) { times.notified() }
        at(200) { times.notified() }
        at(210) { times.told(7) }
        at(250) { times.notified() }
        at(300) { times.executed() }
        times.said("7 900")
        at(1000) { times.ended() }
        var samples = times.samples.makeAsyncIterator()
        #expect(await samples.next() == PressTimes.Sample(exec: 100, main: 700))
    }

    @Test(
        "A program that tells no time, that of another press, or one from before the press, ends the measurement",
        arguments: ["", "6 900", "7", "7 x", "7 150"]
    )
    func wrongLine(line: String) async {
        at(200) { times.notified() }
        times.told(7)
        at(300) { times.executed() }
        times.said(line)
        times.ended()
        var samples = times.samples.makeAsyncIterator()
        #expect(await samples.next() == nil)
    }

    @Test("No press takes over the times of the last one")
    func anew() async {
        at(200) { times.notified() }
        times.told(7)
        at(300) { times.executed() }
        times.said("7 900")
        times.ended()
        at(1200) { times.notified() }
        times.told(8)
        times.said("8 1900")
        times.ended()
        var samples = times.samples.makeAsyncIterator()
        #expect(await samples.next() == PressTimes.Sample(exec: 100, main: 700))
        #expect(await samples.next() == nil)
    }
}
