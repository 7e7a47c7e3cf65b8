/// What can stand for an operand, or for the value of an option, as far as a shell can offer it.
package enum Choices: Sendable, Equatable {
    /// Nobody can know.
    case anything
    case words([String])
    case files
    case directories
    /// The commands of the program.
    case commands
    /// The lines that the program prints when it is called with these arguments. Others may have written them.
    case lines([String])
}
