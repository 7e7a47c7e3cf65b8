import FlicClient
import FoundationEssentials
import Glibc

/// Finds and reads the file with a configuration.
package struct ConfigurationFile: Sendable {
    /// In bytes.
    package static let largestSize = 1 << 20
    /// So many problems are told, and no more.
    static let mostProblems = 100

    /// What was read.
    package struct Contents: Sendable, Equatable {
        package var configuration: Configuration
        /// What is strange, but may be meant: a program that is not there yet. In the order of the file.
        package var warnings: [ConfigurationProblem]
    }

    /// What a build cannot do: for each transport the sentence that says how to get it, or nil if it is there.
    package struct Refusals: Sendable {
        package var mqtt: String?
        package var webhooks: String?

        package init(mqtt: String? = nil, webhooks: String? = nil) {
            self.mqtt = mqtt
            self.webhooks = webhooks
        }
    }

    package let path: String
    private let refusals: Refusals

    package init(path: String, refusals: Refusals = Refusals()) {
        self.path = path
        self.refusals = refusals
    }

    // MARK: Where it is

    /// Where a file is looked for: `config.json` in the directories of `$CONFIGURATION_DIRECTORY` (systemd.exec(5)), or else in `flickit` below
    /// `$XDG_CONFIG_HOME`, or `~/.config` if that is not set, and then in `/etc/flickit`.
    package static func usualPaths(environment: (String) -> String?) -> [String] {
        func absolute(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let given = (environment("CONFIGURATION_DIRECTORY") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        guard given.isEmpty else { return given.map { "\($0)/config.json" } }
        let home = absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { "\($0)/.config" }
        return [home.map { "\($0)/flickit/config.json" }, "/etc/flickit/config.json"].compactMap(\.self)
    }

    /// The first of the usual paths at which there is something; nil if there is nothing at any of them.
    package static func usualPath(environment: (String) -> String?) -> String? {
        usualPaths(environment: environment).first { access($0, F_OK) == 0 || errno != ENOENT }
    }

    // MARK: What is in it

    /// - Throws: ``ConfigurationError`` with all that is wrong.
    package func read() throws(ConfigurationError) -> Contents {
        try parse(try bytes())
    }

    private func bytes() throws(ConfigurationError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("cannot be read: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        // Anything else may have no end, or keep this waiting for one.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw failure("is not a file") }
        do throws(PairingStoreError) {
            return Array(try PrivateFile.read(descriptor, named: "it", limit: Self.largestSize))
        } catch {
            throw failure(status.st_size > Self.largestSize ? "is larger than \(Self.largestSize) bytes" : error.description)
        }
    }

    /// - Parameter bytes: The contents of the file.
    package func parse(_ bytes: [UInt8]) throws(ConfigurationError) -> Contents {
        let json: LocatedJSON
        do throws(JSONLocator.Problem) {
            json = try JSONLocator.read(bytes)
        } catch {
            let problem = ConfigurationProblem(line: error.line, column: error.column, message: error.message)
            throw ConfigurationError(path: path, problems: [problem])
        }
        let findings = ConfigurationSection.Findings()
        let configuration = ConfigurationSection.read(json, at: "", line: json.line, findings) { Configuration($0, refusals) }
        guard let configuration, findings.problems.isEmpty else {
            throw ConfigurationError(path: path, problems: Self.sorted(findings.problems))
        }
        return Contents(configuration: configuration, warnings: Self.sorted(findings.warnings))
    }

    private func failure(_ message: String) -> ConfigurationError {
        ConfigurationError(path: path, problems: [ConfigurationProblem(message: message)])
    }

    private static func sorted(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
        let sorted = problems.sorted { ($0.line ?? 0, $0.key ?? "") < ($1.line ?? 0, $1.key ?? "") }
        guard sorted.count > mostProblems else { return sorted }
        let rest = ConfigurationProblem(line: sorted[mostProblems].line, message: "\(sorted.count - mostProblems) more from here on")
        return sorted.prefix(mostProblems) + [rest]
    }
}
