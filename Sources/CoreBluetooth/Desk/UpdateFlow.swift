/// Counts updates that have been sent and not been confirmed, where one question at a time confirms what was sent before it.
struct UpdateFlow {
    private var unasked = 0
    private var isAsking = false

    /// An update was sent. Returns whether it is time to ``ask()``.
    mutating func sent() -> Bool {
        unasked += 1
        return !isAsking
    }

    /// The question is put. Returns how many updates its answer confirms.
    mutating func ask() -> Int {
        isAsking = true
        defer { unasked = 0 }
        return unasked
    }

    /// The answer came. Returns whether it is time to ``ask()`` again.
    mutating func answered() -> Bool {
        isAsking = false
        return unasked > 0
    }
}
