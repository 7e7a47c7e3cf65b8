/// Completions for bash 4.4 and later; they need nothing else.
extension ArgumentTable {
    var bashCompletions: String {
        #"""
        # Completions of bash for \#(program) \#(version), made by '\#(program) help --completions bash'.

        _\#(program)() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' position=0 index line
            local -a choices=()
            # '--option=value' comes as three words.
            if [[ $word == = ]]; then
                word=
            elif [[ $before == = ]]; then
                before=${COMP_WORDS[COMP_CWORD-2]}
            fi
            for ((index = 1; index < COMP_CWORD; index++)); do
                case ${COMP_WORDS[index]} in
                    \#(valueOptions.joined(separator: "|")))
                        if [[ ${COMP_WORDS[index+1]} == = ]]; then ((index++)); fi
                        ((index++)) ;;
                    -*) ;;
                    *) if [[ -z $command ]]; then command=${COMP_WORDS[index]}; else ((position++)); fi ;;
                esac
            done
            COMPREPLY=()
            case $command:$before in
        \#(rows(bashValues, indent: 2))
                *)
                    if [[ $word == -* ]]; then
                        choices=(\#(names(of: options)))
                        case $command in
        \#(rows(bashOptions, indent: 5))
                        esac
                    else
                        case $command:$position in
        \#(rows(bashOperands, indent: 5))
                        esac
                    fi ;;
            esac
            # What others have written is only compared and quoted.
            for line in "${choices[@]}"; do
                case $word in
                    [\'\"]*) if [[ $line == "${word:1}"* && $line != *[\'\"\`\$\\!]* ]]; then COMPREPLY+=("$line"); fi ;;
                    *)
                        printf -v line %q "$line"
                        line=${line//:/\\:}
                        line=${line//=/\\=}
                        line=${line//@/\\@}
                        if [[ $line == "$word"* ]]; then COMPREPLY+=("$line"); fi ;;
                esac
            done
        }
        complete -F _\#(program) \#(program)
        """#
    }

    /// What can be the value of an option.
    private var bashValues: [String] {
        let own = commands.flatMap { command in command.options.map { (command.name, $0) } }
        let all = own + options.map { ("*", $0) }
        return bashCases(all.filter { $1.value != nil }.map { ("\($0):\($1.name)", bashAction($1.choices)) })
    }

    /// The options that there are besides those of all commands.
    private var bashOptions: [String] {
        commands.filter { !$0.options.isEmpty }.map { "\($0.name)) choices+=(\(names(of: $0.options))) ;;" }
    }

    /// What can stand in the places without hyphens.
    private var bashOperands: [String] {
        let own = commands.flatMap { command in
            command.operands.enumerated().map { index, operand in
                ("\(command.name):\(operand.count.upperBound > 1 ? "*" : "\(index)")", operand.choices)
            }
        }
        return bashCases(([(":0", .commands)] + own).filter { $1 != .anything }.map { ($0, bashAction($1)) })
    }

    /// One case for each action, in the order in which they come.
    private func bashCases(_ rows: [(pattern: String, action: String)]) -> [String] {
        var seen: Set<String> = []
        return rows.map(\.action).filter { seen.insert($0).inserted }.map { action in
            "\(rows.filter { $0.action == action }.map(\.pattern).joined(separator: "|"))) \(action) ;;"
        }
    }

    private func bashAction(_ choices: Choices) -> String {
        switch choices {
        case .anything: ":"
        case .words(let words): "choices=(\(words.joined(separator: " ")))"
        case .files: "compopt -o default"
        case .directories: "compopt -o dirnames"
        case .commands: "choices=(\(commands.map(\.name).joined(separator: " ")))"
        case .lines(let arguments): "mapfile -t choices < <(command \(program) \(arguments.joined(separator: " ")) 2>/dev/null </dev/null)"
        }
    }

    private func names(of options: [Option]) -> String { options.map(\.name).joined(separator: " ") }
}
