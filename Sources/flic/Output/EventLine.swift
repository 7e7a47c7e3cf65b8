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
        self.init(record)
    }

    /// A change of the state of Bluetooth.
    init(_ state: CentralState) { self.init(EventRecord(state)) }

    /// What a daemon, or a hub of this program, has told.
    init(_ record: EventRecord) {
        self.init(record, text: record.event)
        switch record.event {
        case "turned":
            text = "turned by \(record.turns ?? 0)"
            if let position = record.position { text += ", to \(position)" }
            if let mode = record.twistMode { text += ", mode \(mode)" }
            if record.buttonNumber == 1 { text += ", the small button" }
        case "click", "doubleClick", "tripleClick", "hold", "down", "up", "swipeLeft", "swipeRight", "swipeUp", "swipeDown":
            if record.buttonNumber == 1 { text += ", the small button" }
            if record.queued == true { text += ", queued, \(record.age ?? 0) s before the button was ready" }
            style = record.event == "down" || record.event == "up" ? .plain : .bold
        case "ready": style = .good
        case "disconnected" where record.reason != nil: (text, style) = ("link lost", .bad)
        case "battery":
            let isLow = record.batteryLow == true
            text = "battery \(ButtonFacts.text(volts: record.volts ?? 0, isLow: isLow))"
            style = isLow ? .bad : .plain
        case "renamed": text = "renamed \"\(record.name ?? "")\" by another app"
        case "failedToConnect":
            let failure = record.failure
            (text, style) = (failure.message, .bad)
            self.record.message = failure.message
        case "unpaired": (text, style) = ("no longer paired: forget it and pair it anew", .bad)
        case "notReady": text = "verifying again (\(record.reason ?? ""))"
        case "bluetooth":
            let isReady = record.state == CentralState.poweredOn.name
            text = isReady ? "Bluetooth is ready" : "Bluetooth is not available: \(record.state ?? "")"
            style = isReady ? .dim : .bad
        case "lagged": (text, style) = ("\(record.count ?? 0) events were left out, as they were not read in time", .bad)
        case "removed": (text, style) = ("forgotten", .dim)
        default: break
        }
    }
}

extension EventRecord {
    /// Why a button could not be connected.
    var failure: Failure {
        guard let code = reason.flatMap(FlicError.Code.init) else { return Failure(.failed, reason ?? "failed", message ?? "failed to connect") }
        return Failure(FlicError(code))
    }
}
