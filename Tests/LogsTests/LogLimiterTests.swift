import Testing

@testable import Logs

@Suite("Calm logs")
struct LogLimiterTests {
    @Test("The same remark again and again: at once, then at times that double from a minute to an hour, with the count")
    func outage() {
        var limiter = LogLimiter()
        var written: [(second: Int, text: String)] = []
        for second in stride(from: 0, to: 24 * 3600, by: 10) {
            for line in limiter.admit("session A: no link: timeout", now: .seconds(second)) { written.append((second, line)) }
        }
        #expect(written.prefix(8).map(\.second) == [0, 60, 180, 420, 900, 1860, 3780, 7380])
        #expect(written.count == 7 + (24 * 3600 - 3780) / 3600)
        #expect(written[0].text == "session A: no link: timeout")
        #expect(written[1].text == "session A: no link: timeout (and 5 times since the last line)")
        #expect(written[7].text == "session A: no link: timeout (and 359 times since the last line)")
    }

    @Test("What is new is written at once, and so is the same after it")
    func news() {
        var limiter = LogLimiter()
        #expect(limiter.admit("session A: no link", now: .seconds(0)) == ["session A: no link"])
        #expect(limiter.admit("session A: no link", now: .seconds(1)) == [])
        #expect(limiter.admit("session A: no link", now: .seconds(2)) == [])
        #expect(limiter.admit("session A: ready", now: .seconds(3)) == ["session A: the same 2 times before this", "session A: ready"])
        #expect(limiter.admit("session A: no link", now: .seconds(4)) == ["session A: no link"])
        #expect(limiter.admit("session A: no link", now: .seconds(63)) == [])
        #expect(limiter.admit("session A: no link", now: .seconds(64)) == ["session A: no link (and once since the last line)"])
    }

    @Test("Buttons and areas are told apart")
    func things() {
        var limiter = LogLimiter()
        for thing in ["session A", "session B", "bluez", "store"] {
            #expect(limiter.admit("\(thing): x", now: .zero) == ["\(thing): x"])
        }
        #expect(limiter.admit("session A: x", now: .seconds(1)) == [])
        #expect(limiter.admit("session B: y", now: .seconds(1)) == ["session B: y"])
        #expect(limiter.admit("session A: x", now: .seconds(2)) == [])
    }

    @Test("What has happened without being written counts as news, too")
    func passed() {
        var limiter = LogLimiter()
        _ = limiter.admit("session A: no link", now: .zero)
        limiter.pass("session B: ready")
        #expect(limiter.admit("session A: no link", now: .seconds(1)) == [])
        limiter.pass("session A: ready")
        #expect(limiter.admit("session A: no link", now: .seconds(2)) == ["session A: the same once before this", "session A: no link"])
    }

    @Test("Things without end are forgotten, not collected")
    func bounded() {
        var limiter = LogLimiter()
        for number in 0..<10_000 { #expect(limiter.admit("\(number): x", now: .zero).count == 1) }
        #expect(limiter.admit("9999: x", now: .zero) == [])
        #expect(limiter.admit("0: x", now: .zero).count == 1)
    }
}
