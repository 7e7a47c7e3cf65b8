package import FlicClient
package import FoundationEssentials

/// Something that happened, as a JSON object whose members are left out where they do not apply.
///
/// It is the same on standard output (`--json`), for clients of the daemon, in the bodies of web hooks and on the standard input of commands.
package struct EventRecord: Codable, Sendable, Equatable {
    /// What happened.
    package var event: String
    /// Seconds since the start of the program.
    package var time: Double?
    /// When it was told: UTC, ISO 8601.
    package var date: String?
    /// Serial number.
    package var button: String?
    /// The identity of the button: 32 hexadecimal digits, the same on every machine.
    package var uuid: String?
    /// The name that people gave the button.
    package var name: String?
    package var address: String?
    /// Battery.
    package var volts: Double?
    /// An estimate of what is left in it, 0 to 100.
    package var batteryPercent: Int?
    /// Whether it should be changed.
    package var batteryLow: Bool?
    /// Whether a press was made before the button was ready.
    package var queued: Bool?
    /// Seconds between a queued press and the moment the button was ready.
    package var age: Int?
    /// Which button of a Flic Duo: 0 is the big one, 1 the small one. Left out for others.
    package var buttonNumber: Int?
    /// How the hand moved during a press.
    package var gesture: String?
    /// In whole turns, of a Flic Twist, or of a button of a Flic Duo that was turned while it was held down.
    package var turns: Double?
    /// Where a Flic Twist that was turned stands now, 0 to 1.
    package var position: Double?
    /// The mode of a Flic Twist in which it happened, 0 to 12.
    package var twistMode: Int?
    /// The button's event counter.
    package var count: UInt32?
    /// The button's clock, in ticks of 1/32,768 s since it booted.
    package var clock: UInt64?
    /// State of Bluetooth.
    package var state: String?
    /// How many buttons are left.
    package var buttons: Int?
    /// One word that says why.
    package var reason: String?
    /// A sentence that says why.
    package var message: String?

    package init(_ event: String) {
        self.event = event
    }

    /// Sets the members that tell of a battery.
    package mutating func tell(_ battery: BatteryStatus) {
        volts = ButtonFacts.rounded(battery.volts)
        batteryPercent = battery.estimatedPercent
        batteryLow = battery.isLow
    }

    /// Sets the members that tell whom it happened to.
    package mutating func tell(_ info: ButtonInfo) {
        button = info.serialNumber
        uuid = info.uuid
        name = name ?? info.givenName
    }

    /// Sets the moment: UTC, to the millisecond.
    package mutating func tell(_ date: Date) {
        self.date = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension EventRecord {
    package init(_ press: PressEvent) {
        self.init(press.kind.rawValue)
        queued = press.isQueued
        age = press.age
        count = press.eventCount
        clock = press.timestamp
        // Only a device with two buttons measures acceleration.
        buttonNumber = press.acceleration.map { _ in press.buttonNumber }
        gesture = press.gesture?.rawValue
        twistMode = press.twistMode
    }

    /// Something that happened to a button; nil if it is of no interest.
    package init?(_ notice: ButtonNotice) {
        switch notice {
        case .press(let press): self.init(press)
        case .connected: self.init("connected")
        case .ready: self.init("ready")
        case .disconnected(let error):
            self.init("disconnected")
            reason = error.map { "\($0.code)" }
            message = error?.description
        case .battery(let battery):
            self.init("battery")
            tell(battery)
        case .renamed(let name):
            self.init("renamed")
            self.name = name
        case .failedToConnect(let error):
            self.init("failedToConnect")
            reason = error.code.rawValue
            message = error.errorDescription
        case .unpaired: self.init("unpaired")
        case .turned(let turn):
            self.init("turned")
            buttonNumber = turn.twistMode == nil ? turn.buttonNumber : nil
            turns = turn.twistMode == nil ? turn.turns : Self.rounded(turn.turns)
            position = turn.position.map(Self.rounded)
            twistMode = turn.twistMode
        case .queueFinished, .pressInMode: return nil
        case .notReady(let problem):
            self.init("notReady")
            reason = problem.rawValue
        }
    }

    /// To a ten-thousandth of a turn; a Flic Twist counts 49,152 of them.
    private static func rounded(_ turns: Double) -> Double { (turns * 10_000).rounded() / 10_000 }

    /// A change of the state of Bluetooth.
    package init(_ state: CentralState) {
        self.init("bluetooth")
        self.state = state.name
    }
}

extension CentralState {
    /// One word, the same for all causes of a state.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        }
    }
}
