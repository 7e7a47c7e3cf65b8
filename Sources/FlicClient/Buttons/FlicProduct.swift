public import FlicProtocol

/// The kinds of devices that can be paired.
public enum FlicProduct: String, Hashable, Sendable, CaseIterable {
    /// One button.
    case flic2
    /// Two buttons, and swipes.
    case duo
    /// A knob that is also a button.
    case twist

    /// What its firmware images are for.
    public var image: FirmwareImage.Product {
        switch self {
        case .flic2: .flic2
        case .duo: .duo
        case .twist: .twist
        }
    }

    /// As the maker writes it.
    public var name: String {
        switch self {
        case .flic2: "Flic 2"
        case .duo: "Flic Duo"
        case .twist: "Flic Twist"
        }
    }

    /// How it numbers its packets.
    package var dialect: Dialect { self == .twist ? .twist : .flic2 }
}
