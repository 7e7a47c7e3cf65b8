/// A shell that completes what is typed.
package enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish
}

extension ArgumentTable {
    /// A script with which the shell completes commands, options, and what can stand for their values.
    ///
    /// Texts of others, such as the names of buttons, are never read as shell code.
    package func completions(for shell: Shell) -> String {
        switch shell {
        case .bash: bashCompletions
        case .zsh: zshCompletions
        case .fish: fishCompletions
        }
    }

    /// The names of the options that have a value, of whatever command.
    var valueOptions: [String] {
        var seen: Set<String> = []
        return (options + commands.flatMap(\.options)).filter { $0.value != nil && seen.insert($0.name).inserted }.map(\.name)
    }

    /// Lines of a script, each behind so many steps of four spaces.
    func rows(_ rows: [String], indent: Int) -> String {
        rows.map { String(repeating: "    ", count: indent) + $0 }.joined(separator: "\n")
    }
}
