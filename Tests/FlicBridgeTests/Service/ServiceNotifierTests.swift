import EventLoops
import FlicSimulator
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import FlicBridge

@Suite("Service manager: what it is told")
struct ServiceNotifierTests {
    private let loop = VirtualLoop()
    private let problems = Locked<[String]>([])

    private func notifier(_ environment: [String: String]) -> ServiceNotifier {
        ServiceNotifier(
            loop: loop,
            environment: { environment[$0] },
            process: 42,
            microseconds: { [loop] in 1_000_000 + UInt64(loop.now / .microseconds(1)) },
            log: { [problems] _, text in problems.withLock { $0.append(text) } }
        )
    }

    @Test("The states of a program, at a path and at an abstract name", arguments: [false, true])
    func states(isAbstract: Bool) async throws {
        let inbox = try DatagramInbox(isAbstract: isAbstract)
        let notifier = notifier(["NOTIFY_SOCKET": inbox.name])
        try await loop.run {
            await notifier.ready("2 buttons.")
            await loop.pause(for: .seconds(2))
            await notifier.reloading()
            await notifier.ready("3 buttons.")
            await notifier.tell("Two\nlines\u{1B}.")
            await notifier.stopping()
        }
        #expect(
            inbox.takeText() == [
                "READY=1\nSTATUS=2 buttons.", "RELOADING=1\nMONOTONIC_USEC=3000000", "READY=1\nSTATUS=3 buttons.", "STATUS=Two lines .",
                "STOPPING=1\nSTATUS=Stopping.",
            ]
        )
        #expect(problems.withLock { $0 }.isEmpty)
    }

    @Test("The watchdog is fed twice in its time, from the moment the program works, also while it ends")
    func watchdog() async throws {
        let inbox = try DatagramInbox()
        let notifier = notifier(["NOTIFY_SOCKET": inbox.name, "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"])
        #expect(notifier.watchdogPause == .seconds(15))
        try await loop.run {
            await loop.pause(for: .seconds(100))
            #expect(inbox.takeText().isEmpty)
            await notifier.ready("")
            await notifier.ready("")
            #expect(inbox.takeText() == ["READY=1\nSTATUS=", "WATCHDOG=1", "READY=1\nSTATUS="])
            await loop.pause(for: .milliseconds(14_999))
            #expect(inbox.takeText().isEmpty)
            await loop.pause(for: .milliseconds(2))
            #expect(inbox.takeText() == ["WATCHDOG=1"])
            await notifier.stopping()
            await loop.pause(for: .seconds(60))
            #expect(inbox.takeText().filter { $0 == "WATCHDOG=1" }.count == 4)
        }
    }

    @Test("A loop that hangs does not feed the watchdog")
    func hanging() async throws {
        let inbox = try DatagramInbox()
        let loop = DispatchLoop(label: "hanging")
        let notifier = ServiceNotifier(
            loop: loop,
            environment: { ["NOTIFY_SOCKET": inbox.name, "WATCHDOG_USEC": "2000"][$0] },
            log: { _, _ in }
        )
        await notifier.ready("")
        let isHanging = Locked(true)
        let (stops, stopped) = AsyncStream.makeStream(of: Void.self)
        loop.execute {
            stopped.yield()
            while isHanging.withLock({ $0 }) { sched_yield() }
        }
        for await _ in stops { break }
        _ = inbox.take()
        // Many times the time of the watchdog.
        let start = ContinuousClock.now
        while start.duration(to: .now) < .milliseconds(50) { sched_yield() }
        #expect(inbox.take().isEmpty)
        isHanging.withLock { $0 = false }
        while inbox.take().isEmpty { await Task.yield() }
    }

    @Test("A watchdog of another process, or without a time, is none of ours")
    func noWatchdog() throws {
        let inbox = try DatagramInbox()
        func pause(_ more: [String: String]) -> Duration? { notifier(["NOTIFY_SOCKET": inbox.name].merging(more) { $1 }).watchdogPause }
        #expect(pause([:]) == nil)
        #expect(pause(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"]) == nil)
        #expect(pause(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "x"]) == nil)
        for time in ["", "0", "-1", "x", "30s", "99999999999999999999999"] { #expect(pause(["WATCHDOG_USEC": time]) == nil, "\(time)") }
        #expect(pause(["WATCHDOG_USEC": "1"]) == .microseconds(1))
        #expect(pause(["WATCHDOG_USEC": "\(UInt64.max)"]) == .seconds(3600))
        #expect(notifier(["WATCHDOG_USEC": "30000000"]).watchdogPause == nil)
    }

    @Test("Without a manager nothing is sent; one that cannot be reached is told once")
    func noManager() async throws {
        let silent = notifier([:])
        let lost = notifier(["NOTIFY_SOCKET": "/nonexistent/notify"])
        try await loop.run {
            await silent.ready("")
            #expect(problems.withLock { $0 }.isEmpty)
            for _ in 0..<3 { await lost.ready("") }
        }
        #expect(problems.withLock { $0 } == ["the service manager cannot be told anything: No such file or directory"])
        for name in ["", "/", "@", "relative", "vsock:2:1", "/" + String(repeating: "a", count: 107)] {
            problems.withLock { $0 = [] }
            _ = notifier(["NOTIFY_SOCKET": name])
            #expect(problems.withLock { $0 } == ["NOTIFY_SOCKET is no socket that can be written to: \(name)"])
        }
        #expect(DatagramAddress("/" + String(repeating: "a", count: 106)) != nil)
    }

    @Test("A manager that is slow hears all that fits, in order, when it has room again")
    func slow() async throws {
        let inbox = try DatagramInbox()
        let notifier = notifier(["NOTIFY_SOCKET": inbox.name])
        try await loop.run {
            // More than a socket keeps (net.unix.max_dgram_qlen).
            let address = try #require(DatagramAddress(inbox.name))
            var count = 0
            while address.send([UInt8(ascii: "x")]) == 0 { count += 1 }
            await notifier.ready("1")
            for number in 2...30 { await notifier.tell("\(number)") }
            #expect(inbox.takeText().filter { $0 != "x" }.isEmpty)
            await loop.pause(for: .seconds(1))
            var told: [String] = []
            for _ in 0..<100 {
                told += inbox.takeText()
                await loop.pause(for: .milliseconds(100))
            }
            #expect(told == (15...30).map { "STATUS=\($0)" })
        }
    }
}
