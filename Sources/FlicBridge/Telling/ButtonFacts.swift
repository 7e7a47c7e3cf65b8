package import FlicClient
import FoundationEssentials
import Logs

/// What is known of a paired button, as every part of the program tells it.
package struct ButtonFacts: Codable, Sendable, Equatable {
    /// nil in a list.
    package var event: String?
    /// Serial number.
    package var button: String
    /// The name that people gave the button; left out if it has none.
    package var name: String?
    package var advertisedName: String
    package var address: String
    /// 32 hexadecimal digits; the same on every machine.
    package var uuid: String
    /// The same for this button and machine.
    package var identifier: String
    package var firmware: UInt32
    /// Battery at the last sample; left out before there is one.
    package var volts: Double?
    /// An estimate of what is left in it, 0 to 100.
    package var batteryPercent: Int?
    /// Whether it should be changed.
    package var batteryLow: Bool?
    /// When the sample was taken: UTC, ISO 8601.
    package var batteryDate: String?
    /// Whether the pairing is void.
    package var unpaired: Bool
    /// Which clicks there are: `click`, `hold`, `double` or `all`.
    package var mode: String
    /// Seconds from down to down of a double click; left out where the mode has none.
    package var doubleClickTime: Double?
    /// Seconds after which a press is a hold; left out where the mode has none.
    package var holdTime: Double?
    /// Whether there are triple clicks; left out where the mode has no double clicks.
    package var tripleClick: Bool?
    /// How fast presses arrive: `normal` or `low`.
    package var latency: String
    /// What becomes of presses that come late: a ``QueuePolicy``.
    package var queue: String

    package init(_ info: ButtonInfo, event: String? = nil) {
        self.event = event
        button = info.serialNumber
        name = info.givenName
        advertisedName = info.name
        address = info.address.description
        uuid = info.uuid
        identifier = info.identifier.uuidString.lowercased()
        firmware = info.firmwareVersion
        volts = info.battery.map { Self.rounded($0.volts) }
        batteryPercent = info.battery?.estimatedPercent
        batteryLow = info.battery?.isLow
        batteryDate = info.battery?.date.formatted(Date.ISO8601FormatStyle())
        unpaired = info.isUnpaired
        mode = info.clickRules.mode.name
        doubleClickTime = info.clickRules.doubleClickTime
        holdTime = info.clickRules.holdTime
        tripleClick = info.clickRules.tripleClick
        latency = info.latency.rawValue
        queue = info.queuePolicy.description
    }

    /// What people call the button.
    package var title: String { name?.inOneLine ?? button }

    /// To millivolts.
    package static func rounded(_ volts: Double) -> Double { (volts * 1000).rounded() / 1000 }

    /// To hundredths of a volt, for people.
    package static func text(volts: Double, isLow: Bool = false) -> String {
        "\((volts * 100).rounded() / 100) V" + (isLow ? ", low" : "")
    }

    /// Which clicks there are, for people.
    package var modeText: String {
        let times = [
            doubleClickTime.map { "double click within \($0) s" }, tripleClick == true ? "triple clicks" : nil, holdTime.map { "hold after \($0) s" },
        ].compactMap(\.self)
        return mode + (times.isEmpty ? "" : " (\(times.joined(separator: ", ")))")
    }

    /// Cells of a row for people.
    package var cells: [String] {
        let battery = volts.map { Self.text(volts: $0, isLow: batteryLow == true) } ?? "-"
        return [name?.inOneLine ?? "-", button, address, "firmware \(firmware)", battery, unpaired ? "no longer paired" : ""]
    }
}

extension ButtonInfo {
    /// The name that people gave the button; nil if it has none, or none any more.
    var givenName: String? { nickname.flatMap { $0.isEmpty ? nil : $0 } }

    /// What people call the button.
    package var title: String { givenName?.inOneLine ?? serialNumber }
}
