import Foundation

/// What came out, for people and for whoever has to find a cause.
struct Report {
    private var outcomes: [Round.Outcome] = []
    private let directory: URL

    init(directory: URL) {
        self.directory = directory
    }

    var failures: [Round.Outcome] { outcomes.filter { !$0.problems.isEmpty } }

    /// Takes a round up, says how it went, and keeps what happened.
    mutating func add(_ outcome: Round.Outcome) {
        outcomes.append(outcome)
        let name = "\(outcome.fault.rawValue) \(outcome.moment.rawValue) seed \(outcome.seed)"
        let crash = outcome.hasCrashed ? ", bluetoothd crashed" : ""
        say("\(outcome.problems.isEmpty ? "ok     " : "FAILED ") \(name): \(Self.text(outcome.recovery))\(crash)")
        for problem in outcome.problems { say("        \(problem)") }
        let file = directory.appending(path: name.replacingOccurrences(of: " ", with: "-") + ".log")
        do {
            try (outcome.lines.joined(separator: "\n") + "\n").write(to: file, atomically: false, encoding: .utf8)
        } catch {
            say("        no log: \(error)")
        }
    }

    /// Fault by moment: how often, how long until presses were told again, and how often it was not right.
    func printTable(_ time: Duration) {
        say("\n| fault | moment | rounds | median s | worst s | failed |\n|---|---|---|---|---|---|")
        for fault in Fault.allCases {
            for moment in Moment.allCases {
                let cell = outcomes.filter { $0.fault == fault && $0.moment == moment }
                guard !cell.isEmpty else { continue }
                let times = cell.compactMap(\.recovery).sorted()
                let median = times.isEmpty ? nil : times[times.count / 2]
                let failed = cell.count { !$0.problems.isEmpty }
                say("| \(fault.rawValue) | \(moment.rawValue) | \(cell.count) | \(Self.text(median)) | \(Self.text(times.last)) | \(failed) |")
            }
        }
        let crashes = outcomes.count(where: \.hasCrashed)
        say("\n\(outcomes.count) rounds in \(Int(time / .seconds(1))) s, \(failures.count) failed, in \(crashes) bluetoothd crashed by itself")
        for failure in failures {
            say("again: --rounds 1 --fault \(failure.fault.rawValue) --moment \(failure.moment.rawValue) --seed \(failure.seed)")
        }
    }

    private static func text(_ time: Duration?) -> String { time.map { String(format: "%.1f", $0 / .seconds(1)) } ?? "-" }
}

/// Prints a line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
