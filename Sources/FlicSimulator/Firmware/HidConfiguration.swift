/// The HID/MIDI configuration, whose content nobody documented: it is kept as it is (protocol 9.7).
struct HidConfiguration: Sendable, Equatable {
    private static let limit = 1023
    private static let pieceSize = 120

    private var current: [UInt8] = []
    /// What was received and is not applied yet; nil if nothing was.
    private var next: [UInt8]?
    private var isTooLong = false

    mutating func receive(_ piece: [UInt8]) {
        let all = (next ?? []) + piece
        isTooLong = isTooLong || all.count > Self.limit
        next = Array(all.prefix(Self.limit))
    }

    /// The result byte: 0 applied, 1 too long, 3 not started.
    mutating func apply() -> UInt8 {
        defer {
            next = nil
            isTooLong = false
        }
        guard let next else { return 3 }
        guard !isTooLong else { return 1 }
        current = next
        return 0
    }

    var pieces: [[UInt8]] {
        stride(from: 0, to: current.count, by: Self.pieceSize).map { Array(current[$0..<min($0 + Self.pieceSize, current.count)]) }
    }
}
