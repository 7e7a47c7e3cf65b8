import FlicClient
import Glibc
import HTTP
import Logs

extension Configuration.Rule {
    static let mostRules = 1000
    /// Of a rule, a button or an area; in bytes.
    static let longestName = 100
    private static let day = 86_400.0

    /// - Parameter number: From 1; makes the name of a rule that has none.
    init(_ section: ConfigurationSection, number: Int, _ refusals: ConfigurationFile.Refusals) {
        let words = PressEvent.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        self.init(
            name: section.value("name", "a name in one line of at most \(Self.longestName) bytes") { $0.text.flatMap(Self.name) } ?? "rule \(number)",
            buttons: section.elements("button", "the name, serial number, uuid or identifier of a button", count: 1...100) {
                $0.text.flatMap(Self.name)
            } ?? [],
            events: Set(section.elements("event", words, count: 1...PressEvent.Kind.allCases.count) { $0.text.flatMap(PressEvent.Kind.init) } ?? []),
            buttonNumber: section.integer("buttonNumber", 0...1),
            queued: section.flag("queued"),
            maxAge: section.seconds("maxAge", 0...Self.day),
            minInterval: section.seconds("minInterval", 0...Self.day),
            exec: section.section("exec") { Configuration.Exec($0) },
            webhook: section.section("webhook") { Configuration.Webhook($0) }
        )
        if !section.has("event") { section.problem("event", "is missing: \(words), or a list of them") }
        if !section.has("exec") && !section.has("webhook") { section.problem("exec", "is missing: a rule needs 'exec' or 'webhook' or both") }
        if section.has("webhook"), let refusal = refusals.webhooks { section.problem("webhook", refusal) }
    }

    private static func name(_ text: String) -> String? { text.isText(longestName) && text == text.inOneLine ? text : nil }
}

extension Configuration.Exec {
    /// Of one argument, and of one variable: what the kernel takes (execve(2)).
    private static let longestText = 131_071 - 256
    private static let mostArguments = 1000

    init(_ section: ConfigurationSection) {
        let expected = "a text without NUL of at most \(Self.longestText) bytes"
        let command = section.elements("command", expected, count: 1...Self.mostArguments) { json in
            json.text.flatMap { $0.isEmpty || $0.isText(Self.longestText) ? $0 : nil }
        }
        self.init(
            command: command ?? [],
            timeout: section.seconds("timeout", 0.1...3600) ?? .seconds(10),
            concurrency: section.word("concurrency", Concurrency.self) ?? .skip,
            environment: section.map("environment", "a text, for a name of letters, digits and '_' that does not begin with FLICKIT_", most: 100) {
                ProgramEnvironment.isFree($0) && ($1.isEmpty || $1.isText(Self.longestText))
            } ?? [:]
        )
        if !section.has("command") { section.problem("command", "is missing: a program and its arguments, as a list of texts") }
        if let command { Self.check(command, section) }
    }

    private static func check(_ command: [String], _ section: ConfigurationSection) {
        let program = command[0]
        guard program.hasPrefix("/"), program.utf8.count < PATH_MAX else {
            return section.problem("command", "the absolute path of a program comes first, not \"\(program.excerpt)\"; there is no shell")
        }
        // Of all arguments together the kernel takes a quarter of the stack, 2 MiB as a rule; the environment has its share of it.
        guard command.reduce(0, { $0 + $1.utf8.count + 9 }) < 1 << 20 else { return section.problem("command", "1 MiB at most") }
        var status = stat()
        if stat(program, &status) != 0 {
            section.warning("command", "\(program.excerpt): \(String(cString: strerror(errno)))")
        } else if status.st_mode & S_IFMT != S_IFREG || access(program, X_OK) != 0 {
            section.warning("command", "\(program.excerpt) cannot be executed")
        }
    }
}

extension Configuration.Webhook {
    private static let mostHeaders = 50
    private static let longestHeader = 8192

    init(_ section: ConfigurationSection) {
        self.init(
            url: section.required("url", "an absolute URL of at most \(HTTPRequest.longestURL) bytes", isSecret: true) { json in
                json.text.flatMap { $0.isText(HTTPRequest.longestURL) ? $0 : nil }
            } ?? "",
            method: section.value("method", "\"POST\", \"GET\"") { $0.text.flatMap(HTTPRequest.Method.init) } ?? .post,
            headers: section.map("headers", "a text in one line, for the name of a header", most: Self.mostHeaders, isSecret: true) {
                HTTPRequest.problem(header: $0, $1) == nil && $0.utf8.count + $1.utf8.count <= Self.longestHeader && $1 == $1.inOneLine
            } ?? [:],
            body: section.value("body", "a text of at most 65536 bytes") { json in json.text.flatMap { $0.utf8.count <= 65_536 ? $0 : nil } },
            tokenFile: section.absolutePath("tokenFile"),
            timeout: section.seconds("timeout", 0.1...300) ?? .seconds(5),
            tries: section.integer("tries", 1...100) ?? 3,
            maxAge: section.seconds("maxAge", 0...86_400) ?? .seconds(60),
            allowInsecure: section.flag("allowInsecure") ?? false
        )
        if method == .get && section.has("body") { section.problem("body", "is of no use: a GET has none") }
        if tokenFile != nil, let name = headers.keys.first(where: { $0.lowercased() == "authorization" }) {
            section.problem("tokenFile", "would replace the header '\(name)': one of the two")
        }
        // Headers have been checked, each under its own name.
        var bare = self
        bare.headers = [:]
        if !url.isEmpty, let problem = bare.problem { section.problem("url", problem) }
    }
}
