/// Completions for zsh, in the manner of its function `_arguments`.
extension ArgumentTable {
    var zshCompletions: String {
        #"""
        #compdef \#(program)
        # Completions of zsh for \#(program) \#(version), made by '\#(program) help --completions zsh'.

        # The lines that the program prints. Others may have written them: they are only compared and quoted.
        _\#(program)_lines() {
            local -a choices=("${(@f)$(command \#(program) "$@" 2>/dev/null </dev/null)}")
            compadd -a -- choices
        }

        _\#(program)() {
            local curcontext=$curcontext state line
            local -a common=(
        \#(rows(options.map(zshOption), indent: 2))
            )
            local -a commands=(
        \#(rows(commands.map { Self.quoted("\(Self.withoutColons($0.name)):\($0.summary)") }, indent: 2))
            )
            _arguments -C -s -S $common '1: :->command' '*:: :->arguments'
            case $state in
                command) _describe -t commands command commands ;;
                arguments)
                    curcontext=${curcontext%:*}-$line[1]:
                    case $line[1] in
        \#(rows(commands.map(zshCommand), indent: 4))
                    esac ;;
            esac
        }

        # When the file is autoloaded, it is the function; when it is sourced, it only registers it.
        if [[ $funcstack[1] == _\#(program) ]]; then
            _\#(program) "$@"
        else
            compdef _\#(program) \#(program)
        fi
        """#
    }

    private func zshCommand(_ command: Command<Invocation>) -> String {
        let operands = command.operands.enumerated().map { index, operand in
            let place = operand.count.upperBound > 1 ? "*" : "\(index + 1)"
            return Self.quoted("\(place):\(Self.withoutColons(operand.name)):\(zshAction(operand.choices))")
        }
        return "\(command.name)) _arguments -s -S $common \((command.options.map(zshOption) + operands).joined(separator: " ")) ;;"
    }

    private func zshOption(_ option: Option) -> String {
        let explanation = "[\(Self.withoutBrackets(option.summary))]"
        let value = option.value.map { ":\(Self.withoutColons($0)):\(zshAction(option.choices))" } ?? ""
        let name = option.name + (option.value == nil ? "" : "=")
        guard let letter = option.letter else { return Self.quoted(name + explanation + value) }
        return "{-\(letter),\(name)}" + Self.quoted(explanation + value)
    }

    private func zshAction(_ choices: Choices) -> String {
        switch choices {
        case .anything: " "
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        case .directories: "_files -/"
        case .commands: "(\(commands.map(\.name).joined(separator: " ")))"
        case .lines(let arguments): " _\(program)_lines \(arguments.joined(separator: " "))"
        }
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }

    private static func withoutColons(_ text: String) -> String { text.replacing("\\", with: #"\\"#).replacing(":", with: #"\:"#) }

    private static func withoutBrackets(_ text: String) -> String {
        withoutColons(text).replacing("[", with: #"\["#).replacing("]", with: #"\]"#)
    }
}
