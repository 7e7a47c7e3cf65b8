/// What has become of a rule since the program was started.
package struct RuleCounters: Sendable, Equatable {
    /// How often it fired.
    package var fired = 0
    /// Actions that were left out: the program still ran, too much was waiting, or it was too late.
    package var skipped = 0
    /// Actions that were done without success.
    package var failed = 0

    package init(fired: Int = 0, skipped: Int = 0, failed: Int = 0) {
        self.fired = fired
        self.skipped = skipped
        self.failed = failed
    }
}
