/// Pseudo-random bytes that follow from a seed. They repeat after a prime number of bytes, so that no packet can stand for another.
public struct ByteSequence: Sendable {
    private static let period = 65_521

    private let bytes: [UInt8]
    private var position = 0

    /// Begins anew with each value.
    public init(seed: UInt64) {
        var random = Random(seed: seed)
        bytes = random.bytes(Self.period)
    }

    /// The bytes after those that were returned before.
    public mutating func next(_ count: Int) -> [UInt8] {
        var result: [UInt8] = []
        while result.count < count {
            let part = bytes[position...].prefix(count - result.count)
            result += part
            position = (position + part.count) % Self.period
        }
        return result
    }
}
