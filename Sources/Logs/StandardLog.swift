package import EventLoops
import FoundationEssentials
import Glibc
import Synchronization

/// Writes remarks to standard error: those that `FLICKIT_LOG` asks for (``LogLevel``, ``LogArea``), and problems where it is not set.
///
/// `FLICKIT_LOG` is a level (`off`, `problem`, `notice`, `debug`), or a level for each area with commas between:
/// `notice,bluez=debug,session=debug`. A remark that comes again and again is not written each time but counted, more and more seldom up to
/// once an hour. Where standard error leads to the journal, lines have the priority in front that it understands (`<3>`).
public final class StandardLog: Sendable {
    /// That of the library's own default.
    private static let shared = StandardLog(
        program: "flickit",
        filter: filter(ProcessInfo.processInfo.environment[LogFilter.variable], otherwise: .problem) {
            StandardError.write("flickit: \($0)\n")
        },
        hasPriorities: isJournal(standardError: ProcessInfo.processInfo.environment["JOURNAL_STREAM"]),
        now: { [clock = ContinuousClock(), start = ContinuousClock.now] in start.duration(to: clock.now) },
        output: { StandardError.write($0 + "\n") }
    )

    /// Writes a remark of the library, or of a program that has no log of its own.
    @Sendable
    public static func write(_ level: LogLevel, _ text: String) { shared.write(level, text) }

    /// What the transport remarks.
    @Sendable
    package static func writeBluetooth(_ text: String) { write(.debug, LogArea.bluez.remark(text)) }

    private let program: String
    private let filter: LogFilter
    private let hasPriorities: Bool
    private let now: @Sendable () -> Duration
    private let output: @Sendable (String) -> Void
    private let limiter = Mutex(LogLimiter())

    init(
        program: String,
        filter: LogFilter,
        hasPriorities: Bool,
        now: @escaping @Sendable () -> Duration,
        output: @escaping @Sendable (String) -> Void
    ) {
        self.program = program
        self.filter = filter
        self.hasPriorities = hasPriorities
        self.now = now
        self.output = output
    }

    /// The log of a command.
    ///
    /// - Parameters:
    ///   - program: In front of each line.
    ///   - wish: What is shown, in the words of `FLICKIT_LOG`; nil leaves it to that, and where it is not set, to `notice`.
    ///   - output: Takes lines without their end.
    package convenience init(
        program: String,
        wish: String?,
        loop: any EventLoop,
        environment: @Sendable (String) -> String?,
        output: @escaping @Sendable (String) -> Void
    ) {
        self.init(
            program: program,
            filter: Self.filter(wish ?? environment(LogFilter.variable), otherwise: .notice) { output("\(program): \($0)") },
            hasPriorities: Self.isJournal(standardError: environment("JOURNAL_STREAM")),
            now: { loop.now },
            output: output
        )
    }

    private static func filter(_ text: String?, otherwise usual: LogLevel, problem: (String) -> Void) -> LogFilter {
        text.map { LogFilter($0, otherwise: usual, problem: problem) } ?? LogFilter(usual)
    }

    /// Whether standard error is the stream that systemd has connected to the journal (systemd.exec(5)).
    ///
    /// - Parameter stream: The value of `JOURNAL_STREAM`.
    package static func isJournal(standardError stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// Longer remarks are cut, in characters.
    private static let longestRemark = 2000

    /// Whether remarks of this level and area are written.
    @Sendable
    package func shows(_ level: LogLevel, _ area: LogArea) -> Bool { filter.shows(level, area) }

    /// Writes a remark, if it is to be shown.
    package func write(_ level: LogLevel, _ text: String) {
        let text = String(text.prefix(Self.longestRemark))
        let isShown = filter.shows(level, LogArea(of: text))
        let lines = limiter.withLock { limiter in
            guard isShown else {
                limiter.pass(text)
                return [] as [String]
            }
            return limiter.admit(text, now: now())
        }
        for line in lines { output(self.line(level, line)) }
    }

    /// A text as it is written, without the end of the line.
    package func line(_ level: LogLevel, _ text: String) -> String {
        (hasPriorities ? "<\(level.priority)>" : "") + "\(program): \(text.inOneLine)"
    }
}

extension String {
    /// With spaces for what would begin another line, or command a terminal: texts of other programs are in remarks.
    package var inOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
