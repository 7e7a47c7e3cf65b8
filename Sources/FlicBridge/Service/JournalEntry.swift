import FlicClient
package import Logs

/// Something for the log of the system, with fields by which it can be found: `journalctl FLICKIT_BUTTON=BC00-A00001`.
package struct JournalEntry: Sendable, Equatable {
    /// What lasts, and so has a number by which programs know it (`MESSAGE_ID`, systemd.journal-fields(7)). The numbers never change.
    package enum Kind: String, Sendable, CaseIterable {
        case connected = "7e3c57af9e844420b0306864bba7e23f"
        case ready = "ef8b3184ad2140cfbf05ff84528ccf45"
        case notReady = "23bbe137d38b42c994ebac6fb985e660"
        case disconnected = "289673ae48834978967a3dd4a749962e"
        case failedToConnect = "356732bff67540c694a3017baa73df0e"
        case unpaired = "d00e994b83d04517b4c476010e3bfb58"
        case batteryLow = "34281d2ff8824f82ae10ab6674172140"
        case batteryGood = "78309baf9afc4c038e79b67b07d31409"
        case renamed = "b567cda3c2df44449ac5680362dfbf23"
        case removed = "9bdace9b62f442bf9bfbccee0875bc9f"
        case bluetooth = "76f9cf7a884441748489cac1b7a3bab7"
    }

    package let level: LogLevel
    /// For people.
    package let message: String
    /// The word of an ``EventRecord``; nil for remarks about something else.
    package var event: String?
    /// One word that says why.
    package var reason: String?
    /// Serial number.
    package var button: String?
    /// Nil for what passes, such as a press.
    package var kind: Kind?

    /// What happened to a button; nil if it is of no interest for a log: downs and ups, and batteries, of which only changes are.
    init?(_ notice: ButtonNotice, _ info: ButtonInfo) {
        guard let record = EventRecord(notice) else { return nil }
        let words: String
        switch notice {
        case .press(let press):
            guard press.kind != .down, press.kind != .up else { return nil }
            words = press.kind.rawValue + (press.isQueued ? ", \(press.age) s ago" : "")
            level = .debug
        case .connected: (words, level, kind) = ("connected", .notice, .connected)
        case .ready: (words, level, kind) = ("ready", .notice, .ready)
        case .notReady(let problem): (words, level, kind) = ("verified again: \(problem.rawValue)", .notice, .notReady)
        case .disconnected(let error): (words, level, kind) = ("disconnected: \(error.map(\.description) ?? "as asked")", .notice, .disconnected)
        case .failedToConnect(let error): (words, level, kind) = ("will not be connected: \(error)", .problem, .failedToConnect)
        case .unpaired: (words, level, kind) = ("no longer paired: forget it, and pair it again", .problem, .unpaired)
        case .renamed: (words, level, kind) = ("renamed", .notice, .renamed)
        case .battery, .queueFinished, .pressInMode, .turned: return nil
        }
        message = "\(info.title): \(words)"
        event = record.event
        reason = record.reason
        button = info.serialNumber
    }

    /// A battery has become low, or is no longer.
    init(_ battery: BatteryStatus, of info: ButtonInfo) {
        level = battery.isLow ? .problem : .notice
        message = "\(info.title): battery \(battery.isLow ? "low" : "good"), \(ButtonFacts.text(volts: battery.volts))"
        event = "battery"
        button = info.serialNumber
        kind = battery.isLow ? .batteryLow : .batteryGood
    }

    /// A button was forgotten.
    init(removed info: ButtonInfo) {
        (level, message, event, button, kind) = (.notice, "\(info.title): forgotten", "removed", info.serialNumber, .removed)
    }

    init(_ state: CentralState) {
        level =
            switch state {
            case .unauthorized, .unsupported: .problem
            case .unknown, .resetting, .poweredOff, .poweredOn: .notice
            }
        message = "Bluetooth: \(state.name)"
        event = EventRecord(state).event
        reason = state.name
        kind = .bluetooth
    }

    // MARK: As a datagram

    /// Of a value, in characters.
    private static let longestValue = 2000

    /// In the journal's own format (systemd's JOURNAL_NATIVE_PROTOCOL).
    ///
    /// - Parameter identifier: Name of the program.
    func datagram(identifier: String) -> [UInt8] {
        var fields = [("MESSAGE", message), ("PRIORITY", "\(level.priority)"), ("SYSLOG_IDENTIFIER", identifier)]
        fields += [("FLICKIT_BUTTON", button), ("FLICKIT_EVENT", event), ("FLICKIT_REASON", reason), ("MESSAGE_ID", kind?.rawValue)]
            .compactMap { name, value in value.map { (name, $0) } }
        return fields.flatMap { Self.field($0, $1) }
    }

    /// Names are ours; a value may be any text. One of several lines has its length in front.
    private static func field(_ name: String, _ value: String) -> [UInt8] {
        let bytes = Array(String(value.unicodeScalars.prefix(longestValue)).utf8)
        guard bytes.contains(UInt8(ascii: "\n")) else { return Array("\(name)=".utf8) + bytes + [UInt8(ascii: "\n")] }
        let size = (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) }
        return Array("\(name)\n".utf8) + size + bytes + [UInt8(ascii: "\n")]
    }
}
