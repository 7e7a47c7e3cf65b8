import Dispatch
import EventLoops
import FlicSimulator
import Synchronization
import Testing

@Suite struct VirtualLoopTests {
    /// What happened, in order.
    private final class Story: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }

        var all: [String] { lines.withLock { $0 } }
    }

    /// An actor on the loop.
    private actor Teller {
        nonisolated let loop: any EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        let story: Story

        init(_ loop: any EventLoop, _ story: Story) {
            self.loop = loop
            self.story = story
        }

        func tell(_ line: String) { story.add(line) }
    }

    private func sleep(_ loop: VirtualLoop, _ span: Duration) async {
        await withCheckedContinuation { continuation in
            _ = loop.schedule(after: span) { continuation.resume() }
        }
    }

    // MARK: From outside

    @Test("Timers fire in the order of their times, then of scheduling; work that one causes comes before the next one")
    func order() async {
        let loop = VirtualLoop()
        let story = Story()
        loop.schedule(after: .seconds(2)) { story.add("c \(loop.now)") }
        loop.schedule(after: .seconds(1)) {
            story.add("a \(loop.now)")
            loop.execute { story.add("after a") }
            loop.schedule(after: .zero) { story.add("zero") }
            loop.schedule(after: .seconds(-5)) { story.add("negative") }
        }
        loop.schedule(after: .seconds(1)) { story.add("b") }
        #expect(story.all.isEmpty)
        await loop.advance(by: .milliseconds(1500))
        #expect(story.all == ["a \(Duration.seconds(1))", "after a", "b", "zero", "negative"])
        #expect(loop.now == .milliseconds(1500))
        await loop.advance(by: .milliseconds(500))
        #expect(story.all.last == "c \(Duration.seconds(2))")
    }

    @Test("A cancelled timer does not fire, not even at the time at which another one cancels it")
    func cancel() async {
        let loop = VirtualLoop()
        let story = Story()
        let slot = Mutex<ScheduledWork?>(nil)
        loop.schedule(after: .seconds(1)) { slot.withLock { $0?.cancel() } }
        let victim = loop.schedule(after: .seconds(1)) { story.add("fired") }
        slot.withLock { $0 = victim }
        await loop.advance(by: .seconds(2))
        victim.cancel()
        #expect(story.all.isEmpty)
    }

    @Test("An advance returns when actors and tasks on the loop have nothing left to do")
    func drains() async {
        let loop = VirtualLoop()
        let story = Story()
        let teller = Teller(loop, story)
        loop.schedule(after: .seconds(1)) {
            Task(executorPreference: loop) {
                await teller.tell("one")
                await self.sleep(loop, .seconds(1))
                await teller.tell("two")
            }
        }
        await loop.advance(by: .seconds(1))
        #expect(story.all == ["one"])
        await loop.advance(by: .seconds(1))
        #expect(story.all == ["one", "two"])
    }

    @Test("Plain threads can advance too")
    func threads() async {
        let loop = VirtualLoop()
        let story = Story()
        loop.schedule(after: .seconds(60)) { story.add("minute") }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                loop.advanceAndWait(by: .seconds(59))
                story.add("before")
                loop.advanceAndWait(by: .seconds(1))
                continuation.resume()
            }
        }
        #expect(story.all == ["before", "minute"])
    }

    @Test("Actors on the loop may be entered from its timers without suspension")
    func assumesIsolation() async {
        let loop = VirtualLoop()
        let story = Story()
        let teller = Teller(loop, story)
        loop.schedule(after: .zero) { teller.assumeIsolated { $0.tell("inside") } }
        await loop.advance(by: .zero)
        #expect(story.all == ["inside"])
    }

    // MARK: From inside

    @Test("A body waits for hours in no time, and its result is returned")
    func leaps() async throws {
        let loop = VirtualLoop()
        let time = try await loop.run {
            await self.sleep(loop, .seconds(3600))
            await loop.advance(by: .seconds(600))
            return loop.now
        }
        #expect(time == .seconds(4200))
        // The body has ended: the clock stands still again.
        loop.schedule(after: .seconds(1)) {}
        await loop.advance(by: .zero)
        #expect(loop.now == .seconds(4200))
    }

    @Test("Child tasks of a body take turns on the loop's clock, always in the same order")
    func deterministic() async throws {
        var stories: [[String]] = []
        for _ in 1...20 {
            let loop = VirtualLoop()
            let story = Story()
            let teller = Teller(loop, story)
            try await loop.run {
                await withTaskGroup { group in
                    for worker in 1...5 {
                        group.addTask {
                            for round in 1...5 {
                                await self.sleep(loop, .milliseconds(worker * 7 % 5))
                                await teller.tell("\(worker).\(round) at \(loop.now)")
                            }
                        }
                    }
                }
            }
            stories.append(story.all)
        }
        #expect(stories[0].count == 25 && Set(stories).count == 1)
    }

    @Test("A body that does not end in time is cancelled and given up")
    func timeLimit() async {
        let loop = VirtualLoop()
        let story = Story()
        await #expect(throws: VirtualLoop.Failure.timeLimitExceeded(.seconds(10))) {
            try await loop.run(timeLimit: .seconds(10)) {
                while !Task.isCancelled { await self.sleep(loop, .seconds(3)) }
                story.add("cancelled")
            }
        }
        #expect(loop.now == .seconds(10))
        await loop.advance(by: .seconds(2))
        #expect(story.all == ["cancelled"])
    }

    @Test("A body that waits for what never comes is a deadlock, not an endless wait")
    func deadlock() async {
        let loop = VirtualLoop(patience: .milliseconds(50))
        let forever = Mutex<CheckedContinuation<Void, Never>?>(nil)
        await #expect(throws: VirtualLoop.Failure.deadlock(at: .seconds(1))) {
            try await loop.run {
                await self.sleep(loop, .seconds(1))
                await withCheckedContinuation { continuation in forever.withLock { $0 = continuation } }
            }
        }
        forever.withLock { $0 }?.resume()
    }

    @Test("Help from another thread ends a wait")
    func help() async throws {
        let loop = VirtualLoop(patience: .seconds(60))
        let answer = try await loop.run {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { continuation.resume(returning: 7) }
            }
        }
        #expect(answer == 7)
    }

    @Test("A cancelled caller cancels the body; task-local values reach it")
    func context() async {
        let loop = VirtualLoop()
        let outcome = await Self.$colour.withValue("red") {
            let task = Task {
                try await loop.run {
                    while !Task.isCancelled { await self.sleep(loop, .seconds(1)) }
                    return Self.colour
                }
            }
            task.cancel()
            return await task.result
        }
        #expect(throws: Never.self) { try #expect(outcome.get() == "red") }
    }

    @TaskLocal private static var colour = "none"

    @Test("The error of a body is passed on")
    func errors() async {
        struct Broken: Error {}
        await #expect(throws: Broken.self) {
            try await VirtualLoop().run { throw Broken() }
        }
    }
}
