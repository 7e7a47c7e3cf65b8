import FlicClient
import FoundationEssentials

/// What is known of a paired button, as `list` and `pair` tell it.
struct ButtonFacts: Encodable {
    /// nil in a list.
    var event: String?
    /// Serial number.
    var button: String
    /// The name that people gave the button; left out if it has none.
    var name: String?
    var advertisedName: String
    var address: String
    /// 32 hexadecimal digits; the same on every machine.
    var uuid: String
    /// The same for this button and machine.
    var identifier: String
    var firmware: UInt32
    /// Battery at the last sample; left out before there is one.
    var volts: Double?
    /// Whether the pairing is void.
    var unpaired: Bool

    init(_ info: ButtonInfo, event: String? = nil) {
        self.event = event
        button = info.serialNumber
        name = info.nickname
        advertisedName = info.name
        address = info.address.description
        uuid = info.uuid
        identifier = info.identifier.uuidString.lowercased()
        firmware = info.firmwareVersion
        volts = info.batteryVoltage.map(Self.rounded)
        unpaired = info.isUnpaired
    }

    /// To millivolts.
    static func rounded(_ volts: Float) -> Double { (Double(volts) * 1000).rounded() / 1000 }

    /// To hundredths of a volt, for people.
    static func text(volts: Double) -> String { "\((volts * 100).rounded() / 100) V" }

    /// Cells of a row for people.
    var cells: [String] {
        [name ?? "-", button, address, "firmware \(firmware)", volts.map(Self.text) ?? "-", unpaired ? "no longer paired" : ""]
    }
}

extension ButtonInfo {
    /// What people call the button.
    var title: String { nickname ?? serialNumber }
}
