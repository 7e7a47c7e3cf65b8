/// A property that the program owns: what it sets is readable at once, and older values that are still on their way do not overwrite it
/// (contract A25, A26).
struct Owned<Value> {
    private(set) var value: Value
    private var echoesToCome = 0

    init(_ value: Value) {
        self.value = value
    }

    /// Whether what arrives now is older than what the program has set.
    var isAhead: Bool { echoesToCome > 0 }

    /// The program sets the value; ``echoed()`` follows when the loop has heard of it.
    mutating func set(_ value: Value) {
        self.value = value
        echoesToCome += 1
    }

    mutating func echoed() { echoesToCome -= 1 }

    /// The value is out of the program's hands.
    mutating func force(_ value: Value) { self.value = value }

    /// A value arrives from the loop.
    mutating func learn(_ value: Value) {
        if !isAhead { self.value = value }
    }
}
