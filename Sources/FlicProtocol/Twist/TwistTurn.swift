/// How a Flic Twist was turned (protocol 14.3).
package struct TwistTurn: Hashable, Sendable {
    /// The mode in which it was turned, 0 to 12.
    package var mode: UInt8
    /// Since the report before: 49,152 are a whole turn. Which way is positive is not documented.
    package var delta: Int32
    /// Where it has come to within its window, 0 to 49,152.
    package var position: UInt16

    package init(mode: UInt8, delta: Int32, position: UInt16) {
        self.mode = mode
        self.delta = delta
        self.position = position
    }
}
