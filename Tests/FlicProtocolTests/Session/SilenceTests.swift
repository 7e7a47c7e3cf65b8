import Testing

@testable import FlicProtocol

@Suite("Missing pings")
struct SilenceTests {
    /// Pings at these seconds.
    private static func silence(_ pings: [Int]) -> Silence {
        var silence = Silence()
        for ping in pings { silence.pinged(now: .seconds(ping)) }
        return silence
    }

    @Test("Until two pings have come, nothing is known: the button is asked once, a minute after the session began", arguments: [[], [10]])
    func unknown(pings: [Int]) {
        var silence = Silence()
        silence.began(now: .seconds(5))
        for ping in pings { silence.pinged(now: .seconds(ping)) }
        #expect(silence.isTooLong(now: .seconds(65) - .nanoseconds(1)) == false && silence.deadline == .seconds(65))
        #expect(silence.isTooLong(now: .seconds(65)) == true && silence.deadline == nil)
        #expect(silence.isTooLong(now: .seconds(100_000)) == false)
        for ping in [100, 110] { silence.pinged(now: .seconds(ping)) }
        #expect(silence.deadline == (pings.isEmpty ? .seconds(170) : .seconds(100 + 90 * 6)))
    }

    @Test("Six missing pings, but at least a minute", arguments: [([10, 12], 72), ([0, 10], 70), ([0, 30], 210), ([0, 10, 30, 40], 160)])
    func limit(pings: [Int], due: Int) {
        var silence = Self.silence(pings)
        while let deadline = silence.deadline, deadline < .seconds(due) { #expect(silence.isTooLong(now: deadline) == false) }
        #expect(silence.deadline == .seconds(due))
        #expect(silence.isTooLong(now: .seconds(due) - .nanoseconds(1)) == false)
        #expect(silence.isTooLong(now: .seconds(due)) == true)
    }

    @Test("Pings move the time without setting it anew; after a question it begins again")
    func lazy() {
        var silence = Self.silence([0, 10])
        #expect(silence.deadline == .seconds(70))
        for ping in stride(from: 20, through: 60, by: 10) { silence.pinged(now: .seconds(ping)) }
        #expect(silence.deadline == .seconds(70))
        #expect(!silence.isTooLong(now: .seconds(70)) && silence.deadline == .seconds(120))
        #expect(silence.isTooLong(now: .seconds(120)) && silence.deadline == .seconds(180))
    }
}
