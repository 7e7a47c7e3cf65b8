import FlicClient
import FoundationEssentials

/// Something that happened, as one line: text for people, or a JSON object whose members are left out where they do not apply.
struct EventLine: Encodable {
    /// What happened.
    var event: String
    /// Seconds since the start of the program.
    var time: Double?
    /// When it was told: UTC, ISO 8601.
    var date: String?
    /// Serial number.
    var button: String?
    /// The name that people gave the button.
    var name: String?
    var address: String?
    /// Battery.
    var volts: Double?
    /// An estimate of what is left in it, 0 to 100.
    var batteryPercent: Int?
    /// Whether it should be changed.
    var batteryLow: Bool?
    /// Whether a press was made before the button was ready.
    var queued: Bool?
    /// Seconds between a queued press and the moment the button was ready.
    var age: Int?
    /// The button's event counter.
    var count: UInt32?
    /// The button's clock, in ticks of 1/32,768 s since it booted.
    var clock: UInt64?
    /// State of Bluetooth.
    var state: String?
    /// How many buttons are left.
    var buttons: Int?
    /// One word that says why.
    var reason: String?
    /// A sentence that says why.
    var message: String?

    /// For people.
    var text = ""
    var style = Output.Style.plain

    enum CodingKeys: CodingKey {
        case event, time, date, button, name, address, volts, batteryPercent, batteryLow, queued, age, count, clock, state, buttons, reason
        case message
    }

    init(_ event: String, text: String, style: Output.Style = .plain) {
        self.event = event
        self.text = text
        self.style = style
    }

    /// Sets the members that tell of a battery.
    mutating func tell(_ battery: BatteryStatus) {
        volts = ButtonFacts.rounded(battery.volts)
        batteryPercent = battery.estimatedPercent
        batteryLow = battery.isLow
    }
}

extension EventLine {
    /// Something that happened to a button; nil if it is of no interest.
    init?(_ notice: ButtonNotice) {
        switch notice {
        case .press(let press):
            let isClick = press.kind != .down && press.kind != .up
            let age = press.isQueued ? ", queued, \(press.age) s before the button was ready" : ""
            self.init(press.kind.rawValue, text: press.kind.rawValue + age, style: isClick ? .bold : .plain)
            queued = press.isQueued
            self.age = press.age
            count = press.eventCount
            clock = press.timestamp
        case .connected: self.init("connected", text: "connected")
        case .ready: self.init("ready", text: "ready", style: .good)
        case .disconnected(nil): self.init("disconnected", text: "disconnected")
        case .disconnected(let error?):
            self.init("disconnected", text: "link lost", style: .bad)
            reason = "\(error.code)"
            message = error.description
        case .battery(let battery):
            let text = "battery \(ButtonFacts.text(volts: battery.volts, isLow: battery.isLow))"
            self.init("battery", text: text, style: battery.isLow ? .bad : .plain)
            tell(battery)
        case .renamed(let name):
            self.init("renamed", text: "renamed \"\(name)\" by another app")
            self.name = name
        case .failedToConnect(let error):
            let failure = Failure(error)
            self.init("failedToConnect", text: failure.message, style: .bad)
            reason = failure.reason
            message = failure.message
        case .unpaired: self.init("unpaired", text: "no longer paired: forget it and pair it anew", style: .bad)
        case .queueFinished: return nil
        case .notReady(let problem):
            self.init("notReady", text: "verifying again (\(problem.rawValue))")
            reason = problem.rawValue
        }
    }

    /// A change of the state of Bluetooth.
    init(_ state: CentralState) {
        let name = state.name
        let text = state == .poweredOn ? "Bluetooth is ready" : "Bluetooth is not available: \(name)"
        self.init("bluetooth", text: text, style: state == .poweredOn ? .dim : .bad)
        self.state = name
    }
}

extension CentralState {
    /// One word, the same for all causes of a state.
    var name: String {
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
