package import EventLoops
import Glibc
package import Logs

/// Tells the service manager how the program is (sd_notify(3)). Without one that wants to know, nothing is sent.
///
/// If it keeps a watchdog, it hears twice in its time from the loop itself: a loop that hangs is silent.
///
/// It is an actor on its loop.
package actor ServiceNotifier {
    /// Of a status, in characters.
    private static let longestStatus = 200
    /// What has no room at the other end waits, so much of it and so long.
    private static let mostWaiting = 16
    private static let pause = Duration.milliseconds(100)

    /// In microseconds.
    private static let longestWatchdogPause: UInt64 = 3_600_000_000

    private let loop: any EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let address: DatagramAddress?
    /// Half the time of the watchdog; nil if there is none.
    package nonisolated let watchdogPause: Duration?
    private let microseconds: @Sendable () -> UInt64
    private let log: @Sendable (LogLevel, String) -> Void
    private var waiting: [String] = []
    private var retry: ScheduledWork?
    private var watchdog: ScheduledWork?
    private var hasFailed = false

    /// - Parameters:
    ///   - environment: The value of a variable: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are asked for.
    ///   - process: The number of this process.
    ///   - microseconds: The monotonic clock of the system.
    ///   - log: Hears once if nothing can be sent.
    package init(
        loop: any EventLoop,
        environment: (String) -> String?,
        process: Int32 = getpid(),
        microseconds: @escaping @Sendable () -> UInt64 = ServiceNotifier.monotonicMicroseconds,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.loop = loop
        self.microseconds = microseconds
        self.log = log
        let wish = environment("NOTIFY_SOCKET")
        address = wish.flatMap(DatagramAddress.init)
        if let wish, address == nil { log(.problem, "NOTIFY_SOCKET is no socket that can be written to: \(wish)") }
        let time = environment("WATCHDOG_USEC").flatMap(UInt64.init).flatMap { $0 > 0 ? $0 : nil }
        let isOurs = environment("WATCHDOG_PID").map { Int32($0) == process } ?? true
        watchdogPause = address != nil && isOurs ? time.map { .microseconds(min(max($0 / 2, 1), Self.longestWatchdogPause)) } : nil
    }

    /// The program works. The watchdog begins.
    package func ready(_ status: String) {
        send("READY=1\n\(Self.line(status))")
        if watchdog == nil { feedWatchdog() }
    }

    /// The program reads its configuration anew. ``ready(_:)`` follows.
    package func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(microseconds())") }

    /// What the program does, for people.
    package func tell(_ status: String) { send(Self.line(status)) }

    /// The program ends. The watchdog goes on: the end must not hang.
    package func stopping(_ status: String = "Stopping.") { send("STOPPING=1\n\(Self.line(status))") }

    private static func line(_ status: String) -> String { "STATUS=\(String(status.prefix(longestStatus)).inOneLine)" }

    private func feedWatchdog() {
        guard let watchdogPause else { return }
        // What waits already will show that the loop turns, as soon as there is room.
        if waiting.isEmpty { send("WATCHDOG=1") }
        watchdog = loop.schedule(after: watchdogPause) { [weak self] in self?.assumeIsolated { $0.feedWatchdog() } }
    }

    private func send(_ message: String) {
        guard address != nil else { return }
        if waiting.count >= Self.mostWaiting { waiting.removeFirst() }
        waiting.append(message)
        if retry == nil { sendWaiting() }
    }

    private func sendWaiting() {
        retry = nil
        while let address, let message = waiting.first {
            switch address.send(Array(message.utf8)) {
            case 0: hasFailed = false
            case EAGAIN, EINTR, ENOBUFS:
                retry = loop.schedule(after: Self.pause) { [weak self] in self?.assumeIsolated { $0.sendWaiting() } }
                return
            case let error:
                if !hasFailed { log(.problem, "the service manager cannot be told anything: \(String(cString: strerror(error)))") }
                hasFailed = true
            }
            waiting.removeFirst()
        }
    }

    /// As systemd counts (`CLOCK_MONOTONIC`).
    package static let monotonicMicroseconds: @Sendable () -> UInt64 = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
