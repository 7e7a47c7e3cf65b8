/// Ends a command that has said everything itself with an exit code.
struct Verdict: Error {
    let code: ExitCode
}
