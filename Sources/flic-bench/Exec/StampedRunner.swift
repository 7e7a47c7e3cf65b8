import FlicBridge

/// Runs programs that tell the time.
struct StampedRunner: ProgramRunner {
    private let base: any ProgramRunner
    private let times: PressTimes

    init(_ base: any ProgramRunner, _ times: PressTimes) {
        self.base = base
        self.times = times
    }

    func run(_ launch: ProgramLaunch, output: @escaping @Sendable (String) -> Void) async -> ProgramOutcome {
        let outcome = await base.run(launch) { times.said($0) }
        times.ended()
        return outcome
    }
}
