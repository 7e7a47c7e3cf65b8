import Testing

@testable import BlueZ

@Suite("The watch over bluetoothd (bluez/bluez#367)")
struct ServiceWatchTests {
    @Test("All calls are answered: nothing is asked")
    func answered() {
        var watch = ServiceWatch()
        #expect(watch.called(1, now: .zero) == true)
        #expect(watch.called(2, now: .seconds(1)) == false)
        #expect(!watch.answered(1) && watch.answered(2))
        #expect(watch.look(now: .seconds(100)) == .rest)
    }

    @Test("The oldest call counts: five seconds without an answer, and it is asked")
    func asks() {
        var watch = ServiceWatch()
        _ = watch.called(1, now: .zero)
        _ = watch.called(2, now: .seconds(3))
        _ = watch.answered(1)
        #expect(watch.look(now: .seconds(5)) == .wait(.seconds(3)))
        #expect(watch.look(now: .seconds(8)) == .ask)
        #expect(watch.look(now: .seconds(9)) == .rest, "one question at a time")
    }

    @Test("It answers: that call is slow for reasons of its own, and is given time again")
    func slow() {
        var watch = ServiceWatch()
        _ = watch.called(1, now: .zero)
        #expect(watch.look(now: .seconds(5)) == .ask)
        #expect(watch.proved(now: .seconds(6)) == (.wait(.seconds(5)), false))
        #expect(watch.look(now: .seconds(11)) == .ask)
    }

    @Test("It does not: news once, then a question ever more rarely, until it answers")
    func hung() {
        var watch = ServiceWatch()
        _ = watch.called(1, now: .zero)
        #expect(watch.look(now: .seconds(5)) == .ask)
        var pauses: [ServiceWatch.Step] = []
        for attempt in 0..<7 {
            let (next, isNews) = watch.silent()
            #expect(isNews == (attempt == 0) && watch.isHung)
            pauses.append(next)
            #expect(watch.look(now: .seconds(100)) == .ask)
        }
        #expect(pauses == [2, 4, 8, 16, 30, 30, 30].map { .wait(.seconds($0)) })
        _ = watch.answered(1)
        #expect(watch.proved(now: .seconds(200)) == (.rest, true))
        #expect(!watch.isHung && watch.proved(now: .seconds(200)) == (.rest, false))
    }

    @Test("Calls to a bluetoothd that is gone do not count against the next one")
    func reset() {
        var watch = ServiceWatch()
        _ = watch.called(1, now: .zero)
        _ = watch.silent()
        watch.reset()
        #expect(!watch.isHung && watch.look(now: .seconds(50)) == .rest)
        #expect(watch.called(2, now: .seconds(50)) == true)
    }
}
