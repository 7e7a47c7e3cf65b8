import EventLoops
import FlicBridge
import Foundation
import Synchronization

/// Runs scripts of `/bin/sh`, in real time.
struct Shell: Sendable {
    let runner = ProcessRunner(loop: DispatchLoop(label: "tests.programs"))

    struct Run: Sendable {
        let outcome: ProgramOutcome
        let lines: [String]
        let time: Duration
    }

    func run(
        _ script: String,
        timeout: Duration = .seconds(60),
        input: [UInt8] = [],
        environment: [String: String] = ["PATH": "/usr/bin:/bin"]
    ) async -> Run {
        await run(ProgramLaunch(command: ["/bin/sh", "-c", script], environment: environment, input: input, timeout: timeout))
    }

    func run(_ launch: ProgramLaunch) async -> Run {
        let lines = Lines()
        let start = ContinuousClock.now
        let outcome = await runner.run(launch) { lines.append($0) }
        return Run(outcome: outcome, lines: lines.all, time: start.duration(to: .now))
    }
}

/// What a program says.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }

    /// The first line, as soon as it is there.
    func first() async throws -> String {
        try await eventually { !all.isEmpty }
        return all[0]
    }
}

/// Something did not become so.
struct NeverSo: Error {}

/// Waits, in real time, until something is so; not for ever.
func eventually(_ condition: () async -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !(await condition()) {
        guard ContinuousClock.now < end else { throw NeverSo() }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// What the system knows of processes.
enum Processes {
    /// Whether it runs: a process that has ended, but was not asked for, does not.
    static func runs(_ process: String) -> Bool { state(process).map { $0 != "Z" } ?? false }

    /// Whether it is there, be it as one that has ended and was not asked for.
    static func isKnown(_ process: String) -> Bool { state(process) != nil }

    private static func state(_ process: String) -> String? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
        return text.split(separator: ")").last?.split(separator: " ").first.map(String.init)
    }

    /// What the descriptors of this process lead to.
    static func descriptors() -> Set<String> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return Set(names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") })
    }

    /// Whether a descriptor of this process stands for a process that has ended and was asked for: the kernel has no number for it any more.
    static func areEndedWatched() -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")) ?? []
        return names.contains { name in
            let text = (try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)) ?? ""
            return text.split(separator: "\n").contains("Pid:\t-1")
        }
    }
}
