import FlicProtocol
public import FoundationEssentials
public import GATT

/// Everything known of a paired button at one moment.
public struct ButtonInfo: Hashable, Sendable {
    /// Whether there is a link.
    public enum State: String, Hashable, Sendable {
        /// No link, and none will be made by itself.
        case disconnected
        /// A link will be made as soon as the button can be reached.
        case connecting
        /// There is a link; not necessarily verified yet.
        case connected
        /// The link is being ended.
        case disconnecting
    }

    /// The same for this button and machine, also after forgetting and pairing anew.
    public var identifier: UUID
    /// Bluetooth address.
    public var address: BluetoothAddress
    /// The identity of the button: 32 lower-case hexadecimal digits.
    public var uuid: String
    /// As printed inside the battery hatch.
    public var serialNumber: String
    /// What kind of device it is.
    public var product: FlicProduct
    /// The advertised name.
    public var name: String
    /// The name that all apps share; nil if none was ever set.
    public var nickname: String?
    /// An increasing number.
    public var firmwareVersion: UInt32
    /// The last battery sample; nil before there is one.
    public var battery: BatteryStatus?
    /// The link is closed after this time without activity; nil: never. See ``FlicButton/setAutoDisconnectTime(_:)``.
    public var autoDisconnectTime: Duration?
    /// How it advertises after a lost link. See ``FlicButton/setReadvertising(_:)``.
    public var readvertising: ReadvertisingMode
    /// Number of presses since the button booted.
    public var pressCount: UInt32
    /// Whether there is a link.
    public var state: State
    /// Verified in this connection: events can come.
    public var isReady: Bool
    /// The pairing is void: the button has been reset, or has given this app's place away. Forget it and pair anew.
    public var isUnpaired: Bool
    /// How presses become clicks.
    public var clickRules: ClickRules
    /// How fast presses arrive.
    public var latency: LatencyMode
    /// What becomes of presses that come late.
    public var queuePolicy: QueuePolicy
    /// How a Flic Twist behaves. See ``FlicButton/setTwist(_:)``. Nil for others.
    public var twist: TwistConfiguration?
    var twistPositions: [UInt16]
}

extension ButtonInfo {
    /// Where a Flic Twist stands in a mode, 0 to 1, as far as is known; nil for others, and for modes that there are none.
    public func twistPosition(mode: Int = 0) -> Double? {
        guard product == .twist, 0..<TwistConfiguration.modeCount ~= mode else { return nil }
        return mode < twistPositions.count ? Double(twistPositions[mode]) / Double(TwistConfiguration.wholeTurn) : 0
    }

    /// Volts of the last battery sample; nil before there is one.
    public var batteryVoltage: Float? { battery.map { Float($0.volts) } }

    /// A name as a button can keep it: at most 23 bytes, cut between characters (protocol 9.1).
    package static func cutNickname(_ text: String) -> String { ButtonName(text).text }

    init(
        _ record: ButtonRecord,
        _ settings: SessionSettings,
        _ clickRules: ClickRules,
        _ latency: LatencyMode,
        _ queuePolicy: QueuePolicy,
        state: State,
        isReady: Bool
    ) {
        identifier = record.identifier
        address = record.address
        uuid = record.uuid
        serialNumber = record.serialNumber
        product = record.product
        name = record.name
        nickname = record.nickname
        firmwareVersion = record.firmwareVersion
        battery = record.battery
        autoDisconnectTime = AutoDisconnectTime(stored: Int(settings.autoDisconnectTime)).duration
        readvertising = ReadvertisingMode(settings.advertising)
        pressCount = record.position.pressCount
        self.state = state
        self.isReady = isReady
        isUnpaired = record.isUnpaired
        self.clickRules = clickRules
        self.latency = latency
        self.queuePolicy = queuePolicy
        twist = record.product == .twist ? record.twistConfiguration : nil
        twistPositions = record.twistPositions
    }
}

/// What is told of a button, in the order in which it happened.
public enum ButtonNotice: Sendable {
    /// A link was made; the button is not ready yet.
    case connected
    /// The button is verified; events can come.
    case ready
    /// The session has ended while the link stays; the button will be verified anew.
    case notReady(SessionProblem)
    /// Something was done with the button.
    case press(PressEvent)
    /// The same in every trigger mode at once, by the button's own decisions. Only where ``FlicConfiguration/tellsEveryMode`` asks for it;
    /// no ``QueuePolicy`` holds for it.
    case pressInMode(PressInMode)
    /// A Flic Twist was turned; or a button of a Flic Duo while it was held down, where ``FlicButton/setPushTwist(_:)`` asks for it.
    case turned(ButtonTurn)
    /// All presses from before the connection have been delivered.
    case queueFinished
    /// The link is gone; nil if it was ended on purpose.
    case disconnected(LinkError?)
    /// Connecting failed for good: the button will not be connected by itself.
    case failedToConnect(FlicError)
    /// The pairing has been found void.
    case unpaired
    /// A new battery sample, also an equal one (contract B70).
    case battery(BatteryStatus)
    /// Another app has renamed the button.
    case renamed(String)

    /// The button has just become ready, or is being used.
    var showsUse: Bool {
        switch self {
        case .ready, .press, .pressInMode, .turned, .queueFinished: true
        default: false
        }
    }
}

/// Why a session ended while the link stayed (protocol 6.6). The button is verified anew after a pause that grows.
public enum SessionProblem: String, Hashable, Sendable {
    /// The button had no answer to its ping.
    case pingTimedOut
    /// A packet, in either direction, was not signed as it should be: one may have been lost.
    case signatureMismatch
    /// The same pairing is in use elsewhere. It is not fought for: another attempt follows after half a minute.
    case takenOver
    /// The button did not answer a request in time.
    case requestTimedOut
    /// The button gave no reason that is known.
    case closedByButton
}

/// How fast presses arrive, at the price of the battery.
public enum LatencyMode: String, Hashable, Sendable, CaseIterable {
    /// About 100 ms.
    case normal
    /// Typically less than 30 ms, while connected.
    case low
}
