import Fixtures
import FlicProtocol
import Testing

/// Protocol 7.2; `event_codes` of `packets.json`.
@Suite("Event codes")
struct EventCodeTests {
    static let codes = JSONValue.vectors("packets").event_codes.vectors

    @Test("No vector is lost")
    func counts() {
        #expect(Self.codes.count == 16)
        #expect(Set(Self.codes.map(\.code)).count == 16)
    }

    @Test("16 codes are the right raw event and ask for the right acknowledgement", arguments: codes)
    func code(_ vector: Vector) throws {
        let code = EventCode(try vector.integer("code"))
        let raw: [JSONValue] =
            switch code.kind {
            case .up: [.string("up")]
            case .down: [.string("down")]
            case .singleClickTimeout, .hold: []
            }
        #expect(raw == vector.raw.array)
        #expect(code.needsAcknowledgement == vector.acknowledge.bool)
    }

    @Test("16 codes say what their bits say", arguments: codes)
    func decision(_ vector: Vector) throws {
        let raw: UInt8 = try vector.integer("code")
        let code = EventCode(raw)
        #expect((code.kind == .singleClickTimeout) == [2, 6].contains(raw))
        #expect((code.kind == .hold) == [3, 7].contains(raw))
        #expect(code.isHeld == (12...15).contains(raw))
        #expect(code.isSingleClick == [10, 14].contains(raw))
        #expect(code.isDoubleClick == [11, 15].contains(raw))
        #expect(code.isHoldOfSecondPress == (raw == 7))
    }

    @Test("Only the lower four bits of 256 codes count", arguments: UInt8.min...UInt8.max)
    func upperBits(_ byte: UInt8) {
        #expect(EventCode(byte).rawValue == byte & 15)
    }
}
