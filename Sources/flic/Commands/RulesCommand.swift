import FlicBridge
import FoundationEssentials

/// `flic rules`: checks the configuration of the daemon, and tells which of its rules would fire.
///
/// JSON of `check`: a line for each ``FoundLine``, then ``CheckedLine``. JSON of `test`: a ``RuleLine`` for each rule.
enum RulesCommand {
    private static let event = Option(
        name: "--event",
        value: "EVENT",
        choices: .words(PressEvent.Kind.allCases.map(\.rawValue)),
        summary: "With test: what is done: down, up, click, doubleClick, tripleClick, hold, or swipe with Left, Right, Up or Down."
    )
    private static let button = Option(
        name: "--button",
        value: "BUTTON",
        choices: Operand.buttons,
        summary: "With test: the button; without it, the one that each rule asks for."
    )
    private static let number = Option(
        name: "--number",
        value: "N",
        summary: "With test: of a Flic Duo, the big button (0, the usual) or the small one (1)."
    )
    private static let queued = Option(name: "--queued", summary: "With test: it was done before the button was ready.")
    private static let age = Option(name: "--age", value: "SECONDS", summary: "With test: so long before; implies --queued.")

    static let command = Command(
        name: "rules",
        summary: "Check the configuration of the daemon, or try its rules.",
        discussion: """
            'rules check' reads the configuration and tells all that is wrong with it, with file, line and key; then the exit code is 1. 'rules
            test' tells for each rule whether it would fire, and why not, without doing anything. Needs no Bluetooth and no daemon.

            The file is the one that the daemon would read: config.json in $CONFIGURATION_DIRECTORY, else flickit/config.json in
            $XDG_CONFIG_HOME or ~/.config, else /etc/flickit/config.json.

            With --json, check: one object for each error or warning, with the members event ("problem" or "warning"), file, line, column,
            key and message; then one with event ("checked"), file and rules (how many). With --json, test: one object a rule, with the
            members event ("rule"), rule (its name), fires, reason (one word) and message.
            """,
        operands: [
            Operand(name: "check|test", summary: "What is to be done.", count: 1...1, choices: .words(["check", "test"])),
            Operand(name: "FILE", summary: "With which file.", count: 0...1, choices: .files),
        ],
        options: [event, button, number, queued, age],
        run: run
    )

    private struct FoundLine: Encodable {
        var event: String
        var file: String
        var line: Int?
        var column: Int?
        var key: String?
        var message: String

        init(_ event: String, _ problem: ConfigurationProblem, in file: String) {
            self.event = event
            self.file = file
            line = problem.line
            column = problem.column
            key = problem.key
            message = problem.message
        }
    }

    private struct CheckedLine: Encodable {
        var event = "checked"
        var file: String
        var rules: Int
    }

    private struct RuleLine: Encodable {
        var event = "rule"
        var rule: String
        var fires: Bool
        var reason: String
        var message: String
    }

    private static func run(_ invocation: Invocation) async throws {
        let operands = invocation.arguments.operands
        let testOptions = [event, button, queued, age].filter { invocation.arguments.has($0) || invocation.arguments.value($0) != nil }
        switch operands[0] {
        case "check":
            guard testOptions.isEmpty else { throw ArgumentTable.UsageError(text: "The option '\(testOptions[0].name)' is for 'rules test'.") }
            _ = try check(try path(invocation), invocation, isResult: true)
        case "test":
            let subject = try await subject(invocation)
            test(try check(try path(invocation), invocation, isResult: false), subject, invocation)
        default: throw ArgumentTable.UsageError(text: "'rules' needs 'check' or 'test', not '\(operands[0])'.")
        }
    }

    private static func path(_ invocation: Invocation) throws -> String {
        if let path = invocation.arguments.operands.dropFirst().first { return path }
        let environment = invocation.context.environment
        if let path = ConfigurationFile.usualPath(environment: environment) { return path }
        let places = ConfigurationFile.usualPaths(environment: environment).joined(separator: " or ")
        throw Failure(.failed, "noConfiguration", "There is no configuration at \(places); name a file.")
    }

    /// Reads the configuration, and tells what is wrong with it.
    ///
    /// - Parameter isResult: Whether it is to be told that nothing is, and what is strange.
    private static func check(_ path: String, _ invocation: Invocation, isResult: Bool) throws -> Configuration {
        do throws(ConfigurationError) {
            let contents = try ConfigurationFile(path: path, refusals: Daemon.refusals).read()
            guard isResult else { return contents.configuration }
            for warning in contents.warnings { try? show("warning", warning, in: path, invocation) }
            let count = contents.configuration.rules.count
            if invocation.isJSON {
                try? invocation.printJSON(CheckedLine(file: path, rules: count))
            } else {
                invocation.print("\(path): \(count == 1 ? "1 rule" : "\(count) rules"), no errors.")
            }
            return contents.configuration
        } catch {
            for problem in error.problems { try show("problem", problem, in: path, invocation) }
            throw Failure(error)
        }
    }

    private static func show(_ event: String, _ problem: ConfigurationProblem, in path: String, _ invocation: Invocation) throws {
        if invocation.isJSON {
            try invocation.printJSON(FoundLine(event, problem, in: path))
        } else {
            invocation.print(problem.text(in: path) + (event == "warning" ? " (only a warning)" : ""))
        }
    }

    // MARK: test

    private static func subject(_ invocation: Invocation) async throws -> RuleSubject {
        let words = PressEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let text = invocation.arguments.value(event) else {
            throw ArgumentTable.UsageError(text: "'rules test' needs '\(event.name)': \(words).")
        }
        guard let kind = PressEvent.Kind(rawValue: text) else {
            throw ArgumentTable.UsageError(text: "The option '\(event.name)' takes \(words), not '\(text)'.")
        }
        var seconds = 0
        if let text = invocation.arguments.value(age) {
            guard let number = Int(text), (0...31_536_000).contains(number) else {
                throw ArgumentTable.UsageError(text: "The option '\(age.name)' needs a whole number of seconds, not '\(text)'.")
            }
            seconds = number
        }
        let buttonNumber = invocation.arguments.value(number) ?? "0"
        guard let buttonNumber = Int(buttonNumber), (0...1).contains(buttonNumber) else {
            throw ArgumentTable.UsageError(text: "The option '\(number.name)' needs 0 or 1, not '\(buttonNumber)'.")
        }
        let isQueued = invocation.arguments.has(queued) || invocation.arguments.value(age) != nil
        return RuleSubject(kind: kind, buttonNumber: buttonNumber, isQueued: isQueued, age: seconds, names: try await names(invocation))
    }

    /// How the button may be called; nil if any is meant. One that is not paired here is called as it was named.
    private static func names(_ invocation: Invocation) async throws -> Set<String>? {
        guard let text = invocation.arguments.value(button) else { return nil }
        let records = try await invocation.store().load()
        do throws(ButtonChoice.Problem) {
            let info = try ButtonChoice(buttons: await invocation.buttons(in: records)).button(text)
            return Set(ButtonChoice.names(of: info))
        } catch {
            guard case .unknown = error else { throw Failure(error) }
            invocation.remark("No button '\(text.inOneLine)' is paired; a button that is called so is meant.")
            return [text.lowercased()]
        }
    }

    private static func test(_ configuration: Configuration, _ subject: RuleSubject, _ invocation: Invocation) {
        if configuration.rules.isEmpty { invocation.remark("There are no rules.") }
        for rule in configuration.rules {
            let verdict = RuleMatcher(rule).verdict(on: subject, now: .zero)
            let message = verdict.explanation(rule, subject)
            if invocation.isJSON {
                let line = RuleLine(rule: rule.name, fires: verdict == .fires, reason: verdict.reason, message: message)
                try? invocation.printJSON(line)  // nothing in it can fail to be encoded
            } else {
                invocation.print("\(rule.name): \(message)")
            }
        }
    }
}

extension Failure {
    /// The configuration cannot be used.
    init(_ error: ConfigurationError) {
        let count = error.problems.count
        self.init(.failed, "badConfiguration", "\(error.path) cannot be used: \(count == 1 ? "1 error" : "\(count) errors").")
    }
}

extension RuleVerdict {
    /// For people.
    fileprivate func explanation(_ rule: Configuration.Rule, _ subject: RuleSubject) -> String {
        switch self {
        case .fires: "fires\(subject.names == nil && !rule.buttons.isEmpty ? " for \(rule.buttons.joined(separator: ", "))" : "")"
        case .otherEvent:
            "does not fire: it is for \(rule.events.map(\.rawValue).sorted().joined(separator: ", ")), not for \(subject.kind.rawValue)"
        case .otherButton: "does not fire: it is for \(rule.buttons.joined(separator: ", "))"
        case .otherButtonNumber: "does not fire: it is for the \(subject.buttonNumber == 0 ? "small" : "big") button of a Flic Duo"
        case .queued: "does not fire: it is not for queued presses"
        case .notQueued: "does not fire: it is for queued presses only"
        case .tooOld: "does not fire: \(subject.age) s are too old for it"
        case .tooSoon: "does not fire: it has just fired"
        }
    }
}
