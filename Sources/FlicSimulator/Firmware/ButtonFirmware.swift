import FlicClient
package import FlicProtocol

/// The button's role in the protocol: what runs inside a Flic 2, Duo or Twist (protocol 10, 13, 14).
///
/// It has no clock, no radio and no finger of its own. Each of those is an input, which is answered with actions:
///
///     link up, frame received, link lost      from the radio
///     pressed, released                       from the finger
///     advance                                 from the clock, at the latest at `deadline`
///     reboot, factory reset, settings         from the hand that holds the button
///
/// Times are ticks of the button's own clock, 32768 a second, which starts over with each reboot. Time never goes back: an earlier time counts as the
/// latest one. All inputs first do what was due before them. Random bytes come from a generator that is handed in, so that whole sessions can be
/// repeated byte for byte.
///
/// What outlasts what:
///
/// - *Identity* and settings are the factory's; nothing changes them.
/// - *Pairings, name and firmware version* outlast a reboot, and go (but for the version) with a factory reset.
/// - *Boot id, clock, event log, advertising settings and connection parameters* start over with a reboot.
/// - *Logical connections*, their sessions and half-received packets end with the link.
///
/// A frame can contain anything. What does not fit is ignored, and a signed packet counts even if nothing is known about its opcode (protocol 5.6).
/// Only a wrong signature is answered: with the end of the session.
///
/// ``Faults`` are part of the firmware wherever they change what a packet contains or whether it is sent at all.
package struct ButtonFirmware: Sendable {
    /// What an input leads to, in this order.
    package enum Action: Equatable, Sendable {
        /// Send a GATT notification.
        case send([UInt8])
        /// Close the Bluetooth link.
        case closeLink
        /// From now on advertise like this, or not at all.
        case advertise(Advertising?)
        /// The button has started over: its clock shows zero now.
        case restarted
    }

    /// Who ended a link, or what.
    package enum LinkEnd: Sendable {
        /// The radio lost it.
        case lost
        /// The host closed it on purpose.
        case closedByHost
    }

    package let identity: ButtonIdentity
    package var settings: ButtonSettings {
        didSet {
            pairings.limit = settings.pairingLimit
            log.limit = eventLimit
        }
    }
    package var faults: Faults
    var generator: any RandomNumberGenerator & Sendable

    // Outlasts a reboot.
    package var pairings: PairingTable
    package internal(set) var name: StoredName
    package var firmwareVersion: UInt32
    package var batteryLevel: UInt16

    // Starts over with a reboot.
    package internal(set) var bootID: UInt32
    package internal(set) var clock: UInt64 = 0
    package internal(set) var log: EventLog
    var encoder: PressEncoder
    /// Of a Flic Duo.
    package internal(set) var duo = Duo()
    /// Of a Flic Twist.
    package internal(set) var twist = TwistKnob()
    /// Since when the button is held down and may yet become public.
    var heldSince: UInt64?
    package internal(set) var publicModeEnd: UInt64?
    package internal(set) var connectionParameters: SetConnectionParametersInd?
    package internal(set) var advertisingSettings: [UInt32: SetAdvParametersRequest] = [:]
    /// How often a client has set up advertising.
    package internal(set) var advertisingSetUps = 0
    var plan: AdvertisingPlan?
    /// Until when the button advertises because it was pressed, in ticks.
    var pressAdvertisingEnd: UInt64?
    var update: FirmwareUpdate?
    var hidConfiguration = HidConfiguration()

    var link: Link?
    /// Ids are handed out in turn, so that a client is seldom given the same twice (protocol 10.3).
    var lastID: UInt8 = 0

    // For faults, and for telling what has changed.
    var outbox: [Action] = []
    var announced: Advertising?
    var framesSent = 0
    var framesReceived = 0
    var fragmentsSent = 0
    var heldFrame: [UInt8]?

    /// A button that has just got its battery.
    ///
    /// - Parameters:
    ///   - generator: Where random bytes come from.
    ///   - bootID: Drawn from the generator if nil.
    package init(
        identity: ButtonIdentity,
        settings: ButtonSettings = ButtonSettings(),
        faults: Faults = Faults(),
        generator: any RandomNumberGenerator & Sendable,
        bootID: UInt32? = nil
    ) {
        self.identity = identity
        self.settings = settings
        self.faults = faults
        self.generator = generator
        self.bootID = 0
        pairings = PairingTable(limit: settings.pairingLimit)
        name = StoredName()
        firmwareVersion = 10
        batteryLevel = identity.product == .twist ? 3000 : 853  // 3.0 V (protocol 9.2, 14.1)
        log = EventLog(limit: 0)
        encoder = PressEncoder()
        self.bootID = bootID ?? UInt32(truncatingIfNeeded: self.generator.next())
        log.limit = eventLimit
    }

    /// How many events are kept for clients that are away.
    private var eventLimit: Int { identity.product == .twist ? settings.twistEventLimit : settings.eventLimit }

    var dialect: Dialect { identity.product.dialect }

    /// Takes over what a button remembers of the time since it started.
    package mutating func restore(bootID: UInt32, clock: UInt64, records: [PressEncoder.Record]) {
        self.bootID = bootID
        self.clock = clock
        log = EventLog(limit: eventLimit, records: records)
        encoder = PressEncoder(counter: records.last?.counter ?? 0)
    }

    /// The counter of the latest event.
    package var eventCount: UInt32 { encoder.counter }

    // MARK: Finger

    /// - Parameter button: Only a Flic Duo has a small one.
    package mutating func press(_ button: DuoButton = .big, at time: UInt64) -> [Action] {
        proceed(to: time)
        guard identity.product == .duo || button == .big else { return flush() }
        if heldSince == nil { heldSince = clock }
        noteActivity()
        switch button {
        case .big: record(encoder.down(at: clock))
        case .small: recordDuo(duo.encoder.down(at: clock), of: .small)
        }
        if link == nil { advertiseAfterPress() }
        return flush()
    }

    /// - Parameters:
    ///   - button: Only a Flic Duo has a small one.
    ///   - gesture: How the hand moved during the press; only a Flic Duo feels it.
    package mutating func release(_ button: DuoButton = .big, gesture: DuoEvent.Gesture? = nil, at time: UInt64) -> [Action] {
        proceed(to: time)
        guard identity.product == .duo || button == .big else { return flush() }
        heldSince = nil
        noteActivity()
        duo.gestures[button] = gesture
        switch button {
        case .big: record(encoder.up(at: clock))
        case .small: recordDuo(duo.encoder.up(at: clock), of: .small)
        }
        return flush()
    }

    // MARK: Clock

    /// Does everything that is due.
    package mutating func advance(to time: UInt64) -> [Action] {
        proceed(to: time)
        return flush()
    }

    // MARK: The hand that holds the button

    /// Takes the battery out and puts it back.
    package mutating func reboot(bootID: UInt32? = nil) -> [Action] {
        if link != nil { outbox.append(.closeLink) }
        restart(bootID: bootID)
        return flush()
    }

    /// Erases pairings and name, and starts over.
    package mutating func factoryReset() -> [Action] {
        eraseEverything()
        return reboot()
    }

    /// Public mode without seven seconds of patience.
    package mutating func enterPublicMode(at time: UInt64) -> [Action] {
        proceed(to: time)
        beginPublicMode()
        return flush()
    }

    /// Ends public mode early.
    package mutating func leavePublicMode(at time: UInt64) -> [Action] {
        proceed(to: time)
        publicModeEnd = nil
        return flush()
    }

    mutating func eraseEverything() {
        pairings.removeAll()
        name = StoredName()
        advertisingSettings = [:]
    }

    mutating func restart(bootID: UInt32? = nil) {
        link = nil
        self.bootID = bootID ?? UInt32(truncatingIfNeeded: generator.next())
        clock = 0
        log = EventLog(limit: eventLimit)
        encoder = PressEncoder()
        duo = Duo()
        twist = TwistKnob()
        heldSince = nil
        publicModeEnd = nil
        connectionParameters = nil
        advertisingSettings = [:]
        advertisingSetUps = 0
        plan = nil
        pressAdvertisingEnd = nil
        if let version = update?.installed { firmwareVersion = version }
        update = nil
        hidConfiguration = HidConfiguration()
        lastID = 0
        heldFrame = nil
        outbox.append(.restarted)
    }

    // MARK: Results

    mutating func randomBytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let number = generator.next()
            bytes += (0..<min(8, count - bytes.count)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return bytes
    }

    /// The actions since the last call.
    mutating func flush() -> [Action] {
        if advertising != announced {
            announced = advertising
            outbox.append(.advertise(announced))
        }
        defer { outbox = [] }
        return outbox
    }
}
