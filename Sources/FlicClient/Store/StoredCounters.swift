import FlicProtocol
import FoundationEssentials

/// What changes with each press, in a form that is written over and over again: the event positions of all buttons.
///
/// One line with the format, the sequence number, the size of what follows and a checksum; then a line for each button. Two such texts
/// lie in slots of a file, and are overwritten in turn: if writing one of them is cut short, its checksum is wrong, and the other holds.
struct StoredCounters: Equatable {
    /// Room for a text, in bytes.
    static let slotSize = 65_536

    private static let format = "flickit-counters-1"
    private static let checksumKey = SecretBytes("flickit counters".utf8)

    /// Grows with each text and each file of records; the largest one is the truth.
    var sequence: UInt64
    var positions: [UUID: EventPosition]

    init(sequence: UInt64, records: [ButtonRecord]) {
        self.sequence = sequence
        positions = Dictionary(records.map { ($0.identifier, $0.position) }) { first, _ in first }
    }

    /// Nil if the slot holds no whole text.
    init?(slot: [UInt8]) {
        guard let end = slot.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let header = String(decoding: slot[..<end], as: UTF8.self).split(separator: " ")
        guard header.count == 4, header[0] == Self.format, let sequence = UInt64(header[1]), let size = Int(header[2]), size >= 0,
            size <= slot.count - end - 1
        else { return nil }
        let body = slot[(end + 1)..<(end + 1 + size)]
        guard header[3] == Self.checksum(sequence, body) else { return nil }
        self.sequence = sequence
        positions = [:]
        for line in body.split(separator: UInt8(ascii: "\n")) {
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard (3...4).contains(fields.count), let id = UUID(uuidString: String(fields[0])), let bootID = UInt32(fields[1]),
                let count = UInt32(fields[2])
            else {
                return nil
            }
            guard let small = fields.count == 4 ? UInt32(fields[3]) : 0 else { return nil }
            positions[id] = EventPosition(bootID: bootID, eventCount: count, smallEventCount: small)
        }
    }

    /// Nil if there are too many buttons for a slot.
    var bytes: [UInt8]? {
        let lines = positions.sorted { $0.key.uuidString < $1.key.uuidString }.map { id, position in
            // Only a Flic Duo has a second counter.
            "\(id.uuidString) \(position.bootID) \(position.eventCount)\(position.smallEventCount == 0 ? "" : " \(position.smallEventCount)")\n"
        }
        let body = Array(lines.joined().utf8)
        let bytes = Array("\(Self.format) \(sequence) \(body.count) \(Self.checksum(sequence, body[...]))\n".utf8) + body
        return bytes.count <= Self.slotSize ? bytes : nil
    }

    private static func checksum(_ sequence: UInt64, _ body: ArraySlice<UInt8>) -> String {
        Sodium.hmac(key: checksumKey, Array("\(sequence) ".utf8) + body, count: 16).withBytes { Hexadecimal.text($0) }
    }
}
