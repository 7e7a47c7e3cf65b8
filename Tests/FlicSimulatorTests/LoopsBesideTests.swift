import Dispatch
import EventLoops
import FlicSimulator
import Synchronization
import Testing

@Suite("Loops on the time of a virtual one")
struct LoopsBesideTests {
    /// What happened, in order.
    private final class Story: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }

        var all: [String] { lines.withLock { $0 } }
    }

    private actor Resident {
        nonisolated let loop: DispatchLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(_ loop: DispatchLoop) { self.loop = loop }

        func rest(_ span: Duration) async -> Duration {
            loop.checkIsolated()
            await loop.pause(for: span)
            loop.checkIsolated()
            return loop.now
        }
    }

    @Test("Timers of all loops fire in one order, each on its loop, and time passes only between them")
    func order() async {
        let clock = VirtualLoop()
        let loops = [clock.makeLoop(), clock.makeLoop()]
        let story = Story()
        for number in 1...6 {
            let loop = loops[number % 2]
            loop.schedule(after: .seconds(10 - number)) {
                loop.checkIsolated()
                story.add("\(number) at \(loop.now / .seconds(1))")
                loop.execute { story.add("after \(number)") }
            }
        }
        let off = loops[0].schedule(after: .seconds(8)) { story.add("called off") }
        loops[0].schedule(after: .seconds(8)) { off.cancel() }
        loops[1].schedule(after: .seconds(1)) { off.cancel() }
        await clock.advance(by: .seconds(20))
        #expect(story.all == (1...6).reversed().flatMap { ["\($0) at \(10 - $0).0", "after \($0)"] })
    }

    @Test("Actors on them wait for hours in no time")
    func actors() async throws {
        let clock = VirtualLoop()
        let resident = Resident(clock.makeLoop())
        let time = try await clock.run {
            async let other = Resident(clock.makeLoop()).rest(.seconds(7200))
            let first = await resident.rest(.seconds(3600))
            return await [first, other]
        }
        #expect(time == [.seconds(3600), .seconds(7200)])
    }

    @Test("Work that blocks elsewhere holds the clock")
    func elsewhere() async throws {
        let clock = VirtualLoop()
        let loop = clock.makeLoop()
        let story = Story()
        let gate = DispatchSemaphore(value: 0)
        loop.schedule(after: .seconds(1)) { story.add("timer at \(loop.now / .seconds(1))") }
        loop.executeElsewhere(label: "test") {
            gate.wait()
            loop.schedule(after: .milliseconds(500)) { story.add("came back at \(loop.now / .seconds(1))") }
        }
        async let advanced: Void = clock.advance(by: .seconds(2))
        gate.signal()
        await advanced
        #expect(story.all == ["came back at 0.5", "timer at 1.0"])
    }

    @Test("After traffic all channels are asked twice before the clock moves, and again if that brought more traffic; without it they are not")
    func channels() async throws {
        let clock = VirtualLoop()
        let loop = clock.makeLoop()
        let story = Story()
        let answers = Mutex(0)
        let channel = LoopChannel { done in
            // As from another process: nobody knows of it.
            DispatchQueue.global().async {
                let number = answers.withLock {
                    $0 += 1
                    return $0
                }
                story.add("asked at \(clock.now / .seconds(1))")
                if number == 2 { loop.noteTraffic() }
                done()
            }
        }
        try await clock.run {
            loop.add(channel)
            await clock.pause(for: .seconds(1))
            await clock.pause(for: .seconds(1))
            loop.noteTraffic()
            loop.remove(channel)
            await clock.pause(for: .seconds(1))
        }
        #expect(story.all == Array(repeating: "asked at 0.0", count: 4))
    }

    @Test("A channel that does not answer ends the run")
    func stuck() async {
        let clock = VirtualLoop(patience: .milliseconds(50))
        let loop = clock.makeLoop()
        await #expect(throws: VirtualLoop.Failure.stuck(at: .zero)) {
            try await clock.run {
                loop.add(LoopChannel { _ in })
                await clock.pause(for: .seconds(1))
            }
        }
    }

    @Test("After a jump of the clock, what fell into it comes late, in its order")
    func jump() async {
        let clock = VirtualLoop()
        let story = Story()
        for number in [3, 1, 2] { clock.schedule(after: .seconds(number)) { story.add("\(number) at \(clock.now / .seconds(1))") } }
        clock.schedule(after: .seconds(200)) { story.add("later") }
        await clock.advance(by: .seconds(1))
        clock.jump(by: .seconds(100))
        await clock.advance(by: .zero)
        #expect(story.all == ["1 at 1.0", "2 at 101.0", "3 at 101.0"])
    }
}
