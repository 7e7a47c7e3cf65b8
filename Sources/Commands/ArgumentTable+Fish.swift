/// Completions for fish.
extension ArgumentTable {
    var fishCompletions: String {
        #"""
        # Completions of fish for \#(program) \#(version), made by '\#(program) help --completions fish'.

        # Whether what is typed has this command, and so many operands behind it.
        function __\#(program)_at -a wanted count
            set -l command ''
            set -l position 0
            set -l is_value no
            for token in (commandline -poc)[2..-1]
                if test $is_value = yes
                    set is_value no
                else if contains -- $token \#(valueOptions.joined(separator: " "))
                    set is_value yes
                else if string match -q -- '-*' $token
                    continue
                else if test -z $command
                    set command $token
                else
                    set position (math $position + 1)
                end
            end
            test "$command" = "$wanted"; and test -z "$count" -o "$position" = "$count"
        end

        complete -c \#(program) -f
        \#(lines.joined(separator: "\n"))
        """#
    }

    private var lines: [String] {
        options.map { line(for: $0) }
            + commands.map { "complete -c \(program) -n '__\(program)_at \"\"' -a \($0.name) -d \(Self.quoted($0.summary))" }
            + commands.flatMap { command in
                command.operands.enumerated().map { line(for: $1, at: $0, of: command) } + command.options.map { line(for: $0, of: command) }
            }
    }

    private func line(for option: Option, of command: Command<Invocation>? = nil) -> String {
        let condition = command.map { " -n '__\(program)_at \($0.name)'" } ?? ""
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let value = option.value == nil ? "" : option.choices == .files ? " -r -F" : " -x\(fishChoices(option.choices))"
        return "complete -c \(program)\(condition)\(letter) -l \(option.name.dropFirst(2))\(value) -d \(Self.quoted(option.summary))"
    }

    private func line(for operand: Operand, at index: Int, of command: Command<Invocation>) -> String {
        let place = operand.count.upperBound > 1 ? "" : " \(index)"
        return
            "complete -c \(program) -n '__\(program)_at \(command.name)\(place)'\(operand.choices == .files ? " -F" : fishChoices(operand.choices))"
    }

    private func fishChoices(_ choices: Choices) -> String {
        switch choices {
        case .anything, .files: ""
        case .words(let words): " -a '\(words.joined(separator: " "))'"
        case .directories: " -a '(__fish_complete_directories)'"
        case .commands: " -a '\(commands.map(\.name).joined(separator: " "))'"
        case .lines(let arguments): " -a '(command \(program) \(arguments.joined(separator: " ")) 2>/dev/null </dev/null)'"
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: #"\\"#).replacing("'", with: #"\'"#) + "'"
    }
}
