import Dispatch
package import FlicProtocol
import FoundationEssentials
import GATT
public import Logs
import Synchronization

/// Records what happens to buttons, for reports of problems: every byte on their links and every decision of their sessions.
///
/// ```swift
/// configuration.recorder = try TraceRecorder(creating: "trace.jsonl", program: "doorbell 1.2")
/// ```
///
/// One recorder serves one ``Flic``, which ends the recording when it is stopped. `SessionReplay` of `FlicSimulator` replays a trace.
///
/// A trace has **no secrets** in it: no pairing keys, session keys or private keys, so that nothing can be done with it. Names of buttons are
/// replaced, in frames, too, by others of the same length (`masked`), and firmware images by zeros. What does show: addresses, serial
/// numbers, identities, versions of firmware, batteries, and when buttons were pressed.
///
/// The file is of mode 0600 and new, and is written from a queue of its own, within milliseconds. It is JSON, an object a line:
/// - The first line has `format` (`flickit-trace`), `version` (1), `program` and `names` (`masked`).
/// - The others have `ms`, the time of the loop in milliseconds, and `what`:
///   - `adapter`: `state`. `discovery`: `state`, what is listened for. `resumed`: the computer was asleep.
///   - `open` (`link`, `address`), `connected`, `ready` (`mtu`), `close` (we end it), `closed` (`reason`, `message`): a link.
///   - `received`, `sent`: `link`, `frame` in hexadecimal, `masked` where a name or firmware is in it.
///   - `session`: `session`, `link`, `call` (what it was asked; `start` has all that it began with, but for the keys, `updateFirmware` the
///     header and size of the image), `actions` (what it decided). `receive` is about the last frame that the link has received.
///   - `told`: `button` (serial number) and `notice`, as the program heard it.
///   - `full`: nothing was recorded from here on.
public final class TraceRecorder: Sendable {
    /// The usual largest size of a file, in bytes.
    public static let usualLimit = 64 << 20

    /// What may wait to be written. A disk that falls further behind is treated as one that fails.
    static let largestBacklog = 100_000
    /// How long the end of a recording may take.
    private static let patience = DispatchTimeInterval.seconds(5)

    private struct Intake {
        var events: [(time: Duration, event: TraceEvent)] = []
        /// Somebody is going to write them.
        var isScheduled = false
        var isOpen = true
        var lastTime = Duration.zero
        var sessionCount = 0
    }

    private let intake = Mutex(Intake())
    private let queue = DispatchQueue(label: "flickit.trace")
    /// Used on the queue only; nil after the end.
    private let writer: Mutex<TraceWriter?>
    private let path: String
    private let log: @Sendable (LogLevel, String) -> Void

    /// Begins a recording.
    ///
    /// - Parameters:
    ///   - path: A file that does not exist.
    ///   - program: Who records, and its version; the name of the executable if nil.
    ///   - limit: The largest size of the file, in bytes. When it is reached, the recording ends and the program goes on.
    ///   - log: Hears of the end of a recording that was not asked for: one remark.
    /// - Throws: ``TraceError`` `exists`, `denied` or `failed`.
    public convenience init(
        creating path: String,
        program: String? = nil,
        limit: Int = usualLimit,
        log: @escaping @Sendable (LogLevel, String) -> Void = StandardLog.write
    ) throws(TraceError) {
        try self.init(creating: path, program: program ?? ProcessInfo.processInfo.processName, limit: limit, log: log, calls: SystemCalls())
    }

    init(
        creating path: String,
        program: String,
        limit: Int,
        log: @escaping @Sendable (LogLevel, String) -> Void,
        calls: SystemCalls
    ) throws(TraceError) {
        self.path = path
        self.log = log
        writer = Mutex(try TraceWriter(creating: path, program: program, limit: limit, calls))
    }

    /// Ends the recording. When it returns, everything is in the file, unless the disk takes more than five seconds.
    public func finish() async {
        intake.withLock { $0.isOpen = false }
        let end = AsyncStream<Void> { continuation in
            queue.async {
                self.drain()
                self.writer.withLock { $0 = nil }
                continuation.finish()
            }
            DispatchQueue(label: "flickit.trace.end").asyncAfter(deadline: .now() + Self.patience) { continuation.finish() }
        }
        for await _ in end {}
    }

    // MARK: What happens

    /// - Parameter time: By the loop's clock; nil for that of what was noted last.
    func note(_ event: TraceEvent, at time: Duration?) {
        let (isFirst, isTooMuch) = intake.withLock { intake in
            guard intake.isOpen else { return (false, false) }
            intake.lastTime = time ?? intake.lastTime
            intake.events.append((intake.lastTime, event))
            guard intake.events.count <= Self.largestBacklog else {
                intake.isOpen = false
                return (false, true)
            }
            defer { intake.isScheduled = true }
            return (!intake.isScheduled, false)
        }
        if isTooMuch { log(.problem, LogArea.trace.remark("\(path) cannot be written fast enough; nothing more is recorded.")) }
        if isFirst { queue.async { self.drain() } }
    }

    /// What watches a session on a link.
    package func observer(on link: UInt64) -> HostSession.Observer {
        let number = intake.withLock { intake in
            intake.sessionCount += 1
            return intake.sessionCount
        }
        return { [self] call, now, actions in note(.session(number, link: link, call, Array(actions)), at: now) }
    }

    /// A frame came in.
    package func received(_ frame: [UInt8], on link: UInt64, at time: Duration) {
        note(.link(link, .value(frame, from: FlicGATT.fromButton)), at: time)
    }

    /// On the queue: writes what there is.
    private func drain() {
        while true {
            let events = intake.withLock { intake in
                defer { intake.events = [] }
                if intake.events.isEmpty { intake.isScheduled = false }
                return intake.events
            }
            guard !events.isEmpty else { return }
            let end = writer.withLock { $0?.write(events) }
            guard let end else { continue }
            writer.withLock { $0 = nil }
            intake.withLock { intake in
                intake.isOpen = false
                intake.events = []
            }
            switch end {
            case .full: log(.notice, LogArea.trace.remark("\(path) is full; nothing more is recorded."))
            case .failed(let error): log(.problem, LogArea.trace.remark("\(error); nothing more is recorded."))
            }
        }
    }
}
