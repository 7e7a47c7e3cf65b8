/// The two buttons of a Flic Duo; the raw value is the protocol's number (protocol 13).
package enum DuoButton: UInt8, CaseIterable, Sendable {
    case big = 0
    case small = 1
}

/// Some of the two buttons.
package struct DuoButtons: OptionSet, Hashable, Codable, Sendable {
    package static let big = DuoButtons(.big)
    package static let small = DuoButtons(.small)

    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue & 3 }
    package init(_ button: DuoButton) { rawValue = 1 << button.rawValue }
}

/// Event counts of both buttons of a Flic Duo.
package struct DuoEventCounts: Hashable, Sendable {
    package var big: UInt32
    package var small: UInt32

    package init(big: UInt32 = 0, small: UInt32 = 0) {
        self.big = big
        self.small = small
    }

    package subscript(button: DuoButton) -> UInt32 {
        get { button == .big ? big : small }
        set {
            switch button {
            case .big: big = newValue
            case .small: small = newValue
            }
        }
    }

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("event_count_0", &big, bits: 32)
        coder.integer("event_count_1", &small, bits: 32)
    }
}
