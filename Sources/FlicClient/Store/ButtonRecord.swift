package import FlicProtocol
public import FoundationEssentials
public import GATT

/// What is kept of a paired button (protocol 6.1).
///
/// The pairing key is part of it and is written to the store; it appears in no description.
public struct ButtonRecord: Sendable, Equatable {
    /// The same for this button and machine, also after forgetting and pairing anew (contract B40).
    public internal(set) var identifier: UUID
    /// Where the button is found.
    public let address: BluetoothAddress
    /// 32 lower-case hexadecimal digits.
    public let uuid: String
    /// As printed inside the battery hatch.
    public let serialNumber: String
    /// The advertised name, or one made of the serial number (contract B42).
    public var name: String
    /// The name that all apps share; nil if none was ever set.
    public var nickname: String?
    /// When a rename that the button has not confirmed was made, in milliseconds of Unix time; 0 if none is pending.
    public var pendingRenameTime: UInt64 = 0
    /// An increasing number; 0 before it is known.
    public var firmwareVersion: UInt32 = 0
    /// The last battery sample, raw; nil before there is one.
    public var batteryLevel: UInt16?
    /// When that sample was taken, in seconds of Unix time.
    public var batteryTime: UInt64 = 0
    /// Whether the battery counts as low since an earlier sample, or that one (``BatteryStatus/isLow``).
    public var isBatteryLow = false
    /// Changes with each reboot of the button; 0 before it is known.
    public var bootID: UInt32 = 0
    /// Counter of the last event delivered.
    public var eventCount: UInt32 = 0
    /// The same for the small button of a Flic Duo.
    public var smallEventCount: UInt32 = 0
    /// What kind of device it is.
    public var product = FlicProduct.flic2
    /// Advertising has been set up for the current boot id.
    public var isAdvertisingConfigured = false
    /// How advertising was set up last. Says nothing unless ``isAdvertisingConfigured``.
    public var configuredReadvertising = ReadvertisingMode.sparing
    /// How the button is to advertise after a lost link; nil as the manager has it.
    public var readvertising: ReadvertisingMode?
    /// How long an idle link is to be kept; nil as the manager has it.
    var autoDisconnectTime: AutoDisconnectTime?
    /// Whether the button is to be connected.
    public var wantsConnection = true
    /// Whether the pairing has been found void.
    public var isUnpaired = false
    /// How presses become clicks; nil as the manager has it.
    public var clickRules: ClickRules?
    /// How fast presses are to arrive; nil as the manager has it.
    public var latency: LatencyMode?
    /// What becomes of presses that come late; nil for what the application says.
    public var queuePolicy: QueuePolicy?
    /// How a Flic Twist behaves; nil for the usual behaviour.
    var twist: TwistConfiguration?
    /// Where a Flic Twist stands in its modes; empty before it was turned.
    var twistPositions: [UInt16] = []

    package let pairing: Pairing

    package init(
        identifier: UUID,
        address: BluetoothAddress,
        uuid: String,
        serialNumber: String,
        name: String,
        pairing: Pairing
    ) {
        self.identifier = identifier
        self.address = address
        self.uuid = uuid
        self.serialNumber = serialNumber
        self.name = name
        self.pairing = pairing
    }

    /// What a session has to know.
    var memory: HostSession.Memory {
        HostSession.Memory(
            pairing: pairing,
            position: position,
            firmwareVersion: firmwareVersion,
            name: ButtonName(nickname ?? ""),
            pendingRename: pendingRename,
            isAdvertisingConfigured: isAdvertisingConfigured,
            isDuo: product == .duo
        )
    }

    var position: EventPosition {
        get { EventPosition(bootID: bootID, eventCount: eventCount, smallEventCount: smallEventCount) }
        set {
            bootID = newValue.bootID
            eventCount = newValue.eventCount
            smallEventCount = newValue.smallEventCount
        }
    }

    mutating func setEventCount(_ count: UInt32, of button: DuoButton) {
        switch button {
        case .big: eventCount = count
        case .small: smallEventCount = count
        }
    }

    var pendingRename: Rename? {
        pendingRenameTime == 0 ? nil : Rename(name: ButtonName(nickname ?? ""), timestamp: pendingRenameTime)
    }
}
