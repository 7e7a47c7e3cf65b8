import FlicProtocol

/// How a Flic Twist behaves in each of its modes (protocol 14.2).
///
/// Mode 0 is the usual one, 1 to 11 are the places of its selector, and 12 is turning while it is pushed down.
public struct TwistConfiguration: Hashable, Sendable {
    /// Number of modes.
    public static let modeCount = 13
    /// A whole turn, as the Twist counts.
    static let wholeTurn = UInt16(Twist.turn)

    /// What the lights show of the position.
    public enum Lights: String, Hashable, Sendable, CaseIterable {
        /// Nothing.
        case none
        /// All lights up to it.
        case fill
        /// The light next to it, and how near it is.
        case point
        /// The light next to it.
        case single
    }

    /// How it behaves in one mode. How the maker's apps set it up is not documented: what is not said otherwise here is this library's choice.
    public struct Mode: Hashable, Sendable {
        /// What the lights show.
        public var lights = Lights.fill
        /// Whether presses are clicks.
        public var hasClick = true
        /// Whether two presses in quick succession are a double click.
        public var hasDoubleClick = true
        /// So many of the places of the selector that follow share this state: 0 to 15, others are taken as the nearest.
        public var extraLights = 0
        /// The time after which the mode is over: whole seconds up to 254, others are taken as the nearest; nil: never.
        public var timeout: Duration? = .seconds(10)

        /// The usual behaviour.
        public init() {}
    }

    private var modes = [Mode](repeating: Mode(), count: modeCount)

    /// The usual behaviour in all modes.
    public init() {}

    /// The behaviour in a mode, 0 to 12; others are taken as the nearest.
    public subscript(mode: Int) -> Mode {
        get { modes[min(max(mode, 0), Self.modeCount - 1)] }
        set { modes[min(max(mode, 0), Self.modeCount - 1)] = newValue }
    }

    /// As it is told to the device.
    ///
    /// - Parameter positions: Where it stands in each mode; zero where there is none.
    func wire(positions: [UInt16]) -> Twist.Configuration {
        var wire = Twist.Configuration()
        wire.states = modes.enumerated().map { index, mode in
            var state = Twist.State(mode)
            state.position = index < positions.count ? positions[index] : 0
            return state
        }
        return wire
    }
}

extension Twist.State {
    fileprivate init(_ mode: TwistConfiguration.Mode) {
        self.init()
        ledMode =
            switch mode.lights {
            case .none: 0
            case .fill: 1
            case .point: 2
            case .single: 3
            }
        hasClick = mode.hasClick
        hasDoubleClick = mode.hasDoubleClick
        extraLedsAfter = UInt8(min(max(mode.extraLights, 0), 15))
        timeoutSeconds = mode.timeout.map { UInt8(min(max($0.components.seconds, 0), 254)) } ?? 255
    }
}
