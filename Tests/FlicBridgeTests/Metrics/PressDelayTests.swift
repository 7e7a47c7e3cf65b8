import Testing

@testable import FlicBridge

@Suite("Metrics: how late presses come")
struct PressDelayTests {
    private func ticks(_ seconds: Double) -> UInt64 { UInt64(seconds * 32_768) }

    @Test("The fastest delivery is none late; others by what they take longer")
    func delays() {
        var delay = PressDelay()
        let first = delay.arrived(ticks: ticks(1000), at: 5.03)
        #expect(first == nil)
        let later = delay.arrived(ticks: ticks(1001), at: 6.13) ?? -1
        #expect(abs(later - 0.1) < 0.001)
        let faster = delay.arrived(ticks: ticks(1002), at: 7.01)
        #expect(faster == 0)
        let again = delay.arrived(ticks: ticks(1003), at: 8.03) ?? -1
        #expect(abs(again - 0.02) < 0.001)
    }

    @Test("After a longer time, and after the button's clock may have begun anew, there is nothing to compare with")
    func memory() {
        var delay = PressDelay()
        _ = delay.arrived(ticks: ticks(1000), at: 5)
        let within = delay.arrived(ticks: ticks(1060), at: 65)
        #expect(within != nil)
        let beyond = delay.arrived(ticks: ticks(1121), at: 126)
        #expect(beyond == nil)
        delay.forget()
        let anew = delay.arrived(ticks: 0, at: 127)
        #expect(anew == nil)
    }

    @Test("Clocks that are not equally fast are no delay", arguments: [-80e-6, 80e-6])
    func drift(_ drift: Double) {
        var delay = PressDelay()
        var longest = 0.0
        for number in 0..<10_000 {
            let moment = Double(number) * 50
            guard let late = delay.arrived(ticks: ticks(1000 + moment * (1 + drift)), at: moment) else { continue }
            longest = max(longest, late)
        }
        #expect(longest < 0.001)
    }

    @Test("No clock makes it fail")
    func hostile() {
        var delay = PressDelay()
        for (ticks, moment) in [(UInt64.max, 0.0), (0, 1), (.max, 2), (0, 3)] {
            let late = delay.arrived(ticks: ticks, at: moment) ?? 0
            #expect(late >= 0 && late.isFinite)
        }
    }

    @Test("Delays are counted under all bounds that they do not exceed")
    func histogram() {
        var histogram = DelayHistogram()
        for delay in [0, 0.005, 0.006, 0.3, 10, 11] { histogram.add(delay) }
        let samples = histogram.samples([])
        #expect(samples.map(\.value) == [2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 6, 21.311, 6])
        #expect(samples.first?.labels.map(\.value) == ["0.005"] && samples[11].labels.map(\.value) == ["+Inf"])
    }
}
