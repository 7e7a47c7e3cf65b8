/// Counts updates that have been sent and not been confirmed, where one question at a time confirms what was sent before it.
package struct UpdateFlow: Sendable {
    private var unasked = 0
    private var isAsking = false

    package init() {}

    /// An update was sent. Returns whether it is time to ``ask()``.
    package mutating func sent() -> Bool {
        unasked += 1
        return !isAsking
    }

    /// The question is put. Returns how many updates its answer confirms.
    package mutating func ask() -> Int {
        isAsking = true
        defer { unasked = 0 }
        return unasked
    }

    /// The answer came. Returns whether it is time to ``ask()`` again.
    package mutating func answered() -> Bool {
        isAsking = false
        return unasked > 0
    }
}
