package import EventLoops
package import Logs

extension StandardLog {
    /// The log of a program whose user may have asked for more of it (`-v`) or none (`-q`).
    package convenience init(
        program: String,
        arguments: ParsedArguments,
        loop: any EventLoop,
        environment: @Sendable (String) -> String?,
        output: Output
    ) {
        self.init(
            program: program,
            wish: arguments.has(.verbose) ? "debug" : arguments.has(.quiet) ? "off" : nil,
            loop: loop,
            environment: environment,
            output: output.printError
        )
    }
}
