/// What is the same for all programs, whatever their commands are.
extension ArgumentTable {
    /// What arguments ask for.
    package enum Request {
        case run(Command<Invocation>, ParsedArguments)
        /// Something that has been answered already.
        case answered
        /// Nothing that can be done; why has been told.
        case refused
    }

    /// Answers what needs no command: the version, help, and what is not understood.
    ///
    /// - Parameter arguments: Those behind the name of the program.
    package func request(_ arguments: [String], output: Output) -> Request {
        if arguments == ["--version"] {
            output.print("\(program) \(version)")
            return .answered
        }
        do throws(UsageError) {
            let parsed = try parse(arguments)
            guard let name = parsed.command else {
                output.print(help)
                return parsed.has(.help) ? .answered : .refused
            }
            let command = try command(name)
            guard parsed.has(.help) else { return .run(command, parsed) }
            output.print(help(for: command))
            return .answered
        } catch {
            output.printError("\(program): \(error.text) Try '\(program) help'.")
            return .refused
        }
    }
}
