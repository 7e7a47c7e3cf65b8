/// The man page, made from the table.
extension ArgumentTable {
    /// In mdoc.
    package var manual: String {
        var page = Manual()
        page.line(".Dd \(date)")
        page.line(".Dt \(program.uppercased()) 1")
        page.line(".Os FlicKit \(version)")
        page.line(".Sh NAME")
        page.line(".Nm \(program)")
        page.line(".Nd \(Manual.escaped(summary.prefix { $0 != "." }))")
        page.line(".Sh SYNOPSIS")
        page.line(".Nm")
        page.line(".Ar COMMAND")
        page.line(".Op Ar OPTION ...")
        page.line(".Sh DESCRIPTION")
        page.text(summary)
        page.list(options)
        page.line(".Sh COMMANDS")
        for command in commands { describe(command, in: &page) }
        page.list("ENVIRONMENT", (environment + Self.usualEnvironment).map { (".It Ev \($0)", $1) })
        page.list("FILES", files.map { (".It Pa \(Manual.escaped($0))", $1) })
        page.list("EXIT STATUS", exitCodes.map { (".It \($0)", $1) })
        page.line(".Sh SEE ALSO")
        page.line(".Xr bluetoothctl 1 ,")
        page.line(".Xr bluetoothd 8")
        return page.text
    }

    /// What all programs look at.
    private static var usualEnvironment: [(name: String, meaning: String)] {
        [
            ("FLICKIT_LOG", "Which remarks are written: off, problem, notice or debug; for single areas as in notice,bluez=debug."),
            ("NO_COLOR", "No colour is used if this is set and not empty."),
        ]
    }

    private func describe(_ command: Command<Invocation>, in page: inout Manual) {
        page.line(".Ss \(command.name)")
        page.line(".D1 \(Manual.escaped(usage(of: command)))")
        page.line(".Pp")
        page.text(command.discussion)
        guard !command.operands.isEmpty || !command.options.isEmpty else { return }
        page.line(".Bl -tag -width Ds")
        for operand in command.operands { page.item(".It Ar \(operand.name)", operand.summary) }
        for option in command.options { page.item(option) }
        page.line(".El")
    }
}

/// A page in mdoc that is being written.
private struct Manual {
    private var lines: [String] = []

    var text: String { lines.joined(separator: "\n") }

    mutating func line(_ line: String) { lines.append(line) }

    /// A text as in the help: paragraphs, and lines that begin with spaces, which stay as they are.
    mutating func text(_ text: String) {
        var isLiteral = false
        var isNew = false  // a paragraph; nothing says so before a display
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let wasLiteral = isLiteral
            isLiteral = line.hasPrefix(" ")
            if wasLiteral && !isLiteral { self.line(".Ed") }
            if isLiteral && !wasLiteral { self.line(".Bd -literal -offset indent") }
            if isNew && !isLiteral && !line.isEmpty { self.line(".Pp") }
            isNew = line.isEmpty
            guard !line.isEmpty else { continue }
            if isLiteral { self.line(Self.escaped(line.dropFirst(2))) } else { sentences(line) }
        }
        if isLiteral { line(".Ed") }
    }

    mutating func list(_ title: String, _ rows: [(tag: String, meaning: String)]) {
        guard !rows.isEmpty else { return }
        line(".Sh \(title)")
        line(".Bl -tag -width Ds")
        for row in rows { item(row.tag, row.meaning) }
        line(".El")
    }

    mutating func list(_ options: [Option]) {
        guard !options.isEmpty else { return }
        line(".Ss Options of all commands")
        line(".Bl -tag -width Ds")
        for option in options { item(option) }
        line(".El")
    }

    mutating func item(_ option: Option) {
        let letter = option.letter.map { "Fl \($0) , " } ?? ""
        item(".It \(letter)Fl \(Self.escaped(option.name.dropFirst()))" + (option.value.map { " Ar \(Self.escaped($0))" } ?? ""), option.summary)
    }

    mutating func item(_ tag: String, _ meaning: String) {
        line(tag)
        sentences(meaning)
    }

    /// Each begins on a line of its own, as mdoc wants it.
    private mutating func sentences(_ text: some StringProtocol) {
        let lines = String(text).replacing(/(\S[.!?][)'"]*) +/) { "\($0.output.1)\n" }
        for sentence in lines.split(separator: "\n") { line(Self.escaped(sentence)) }
    }

    /// Text that means nothing but itself.
    static func escaped(_ text: some StringProtocol) -> String {
        let replacements: [Character: String] = [
            "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\"": "\\(dq",
        ]
        let escaped = text.map { replacements[$0] ?? String($0) }.joined()
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
}
