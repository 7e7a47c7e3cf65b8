import EventLoops
import Synchronization
import Testing

@Suite("The loop of a real program")
struct DispatchLoopTests {
    @Test("Work runs on the loop, in the order of the calls")
    func order() async {
        let loop = DispatchLoop()
        let order = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            for number in 0..<100 { loop.execute { order.withLock { $0.append(number) } } }
            loop.execute {
                loop.checkIsolated()
                continuation.resume()
            }
        }
        #expect(order.withLock { $0 } == Array(0..<100))
    }

    @Test("Delayed work comes in the order of its times, not before them, and never if it was called off on the loop")
    func delays() async {
        let loop = DispatchLoop()
        let order = Mutex<[String]>([])
        let early = Mutex(false)
        await withCheckedContinuation { continuation in
            loop.execute {
                let start = loop.now
                loop.schedule(after: .milliseconds(20)) {
                    early.withLock { $0 = loop.now - start < .milliseconds(20) }
                    order.withLock { $0.append("late") }
                    continuation.resume()
                }
                loop.schedule(after: .milliseconds(-5)) { order.withLock { $0.append("at once") } }
                let revoked = loop.schedule(after: .zero) { order.withLock { $0.append("never") } }
                revoked.cancel()
                revoked.cancel()
                loop.schedule(after: .seconds(Int64.max / 2)) { order.withLock { $0.append("in ages") } }.cancel()
            }
        }
        #expect(order.withLock { $0 } == ["at once", "late"])
        #expect(!early.withLock { $0 })
    }

    @Test("An actor on the loop runs there, and goes on there after each wait")
    func actors() async {
        let resident = Resident(loop: DispatchLoop())
        #expect(await resident.run(steps: 50) == 50)
    }

    @Test("Tasks that prefer the loop start actors' work and return to it")
    func tasks() async {
        let loop = DispatchLoop()
        let resident = Resident(loop: loop)
        let task = Task(executorPreference: loop) {
            loop.checkIsolated()
            let sum = await resident.run(steps: 5)
            loop.checkIsolated()
            return sum
        }
        #expect(await task.value == 5)
        // A wait whose end is the last step of a task that prefers the loop.
        await resident.waitForTail()
    }

    private actor Resident {
        nonisolated let loop: DispatchLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private var waiter: CheckedContinuation<Void, Never>?

        init(loop: DispatchLoop) { self.loop = loop }

        func run(steps: Int) async -> Int {
            var count = 0
            for _ in 0..<steps {
                loop.checkIsolated()
                await withCheckedContinuation { continuation in loop.schedule(after: .zero) { continuation.resume() } }
                loop.checkIsolated()
                count += 1
            }
            return count
        }

        func waitForTail() async {
            Task(executorPreference: loop) { await self.wake() }
            await withCheckedContinuation { waiter = $0 }
        }

        private func wake() async { waiter?.resume() }
    }
}
