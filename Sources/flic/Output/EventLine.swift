import FlicBridge
import FoundationEssentials

/// Something that happened, as one line: text for people, or a JSON object.
@dynamicMemberLookup
struct EventLine {
    /// For programs.
    var record: EventRecord
    /// For people.
    var text: String
    var style: Output.Style

    init(_ event: String, text: String, style: Output.Style = .plain) {
        self.init(EventRecord(event), text: text, style: style)
    }

    private init(_ record: EventRecord, text: String, style: Output.Style = .plain) {
        self.record = record
        self.text = text
        self.style = style
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<EventRecord, Value>) -> Value {
        get { record[keyPath: path] }
        set { record[keyPath: path] = newValue }
    }
}

extension EventLine {
    /// Something that happened to a button; nil if it is of no interest.
    init?(_ notice: ButtonNotice) {
        guard let record = EventRecord(notice) else { return nil }
        switch notice {
        case .press(let press):
            let isClick = press.kind != .down && press.kind != .up
            let age = press.isQueued ? ", queued, \(press.age) s before the button was ready" : ""
            self.init(record, text: press.kind.rawValue + age, style: isClick ? .bold : .plain)
        case .connected: self.init(record, text: "connected")
        case .ready: self.init(record, text: "ready", style: .good)
        case .disconnected(nil): self.init(record, text: "disconnected")
        case .disconnected: self.init(record, text: "link lost", style: .bad)
        case .battery(let battery):
            let text = "battery \(ButtonFacts.text(volts: battery.volts, isLow: battery.isLow))"
            self.init(record, text: text, style: battery.isLow ? .bad : .plain)
        case .renamed(let name): self.init(record, text: "renamed \"\(name)\" by another app")
        case .failedToConnect(let error):
            let message = Failure(error).message
            self.init(record, text: message, style: .bad)
            self.record.message = message
        case .unpaired: self.init(record, text: "no longer paired: forget it and pair it anew", style: .bad)
        case .queueFinished: return nil
        case .notReady(let problem): self.init(record, text: "verifying again (\(problem.rawValue))")
        }
    }

    /// A change of the state of Bluetooth.
    init(_ state: CentralState) {
        let text = state == .poweredOn ? "Bluetooth is ready" : "Bluetooth is not available: \(state.name)"
        self.init(EventRecord(state), text: text, style: state == .poweredOn ? .dim : .bad)
    }
}
