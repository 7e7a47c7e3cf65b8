/// What a client learns of a button by pairing (protocol 6.1, FullVerifyResponse2).
package struct PairedButton: Equatable, Sendable {
    package var pairing: Pairing
    /// 16 bytes.
    package var uuid: [UInt8]
    package var serialNumber: String
    package var name: ButtonName
    package var firmwareVersion: UInt32
    package var battery: BatteryLevel
    package var isDuo: Bool

    package init(pairing: Pairing, response: FullVerifyResponse2, dialect: Dialect = .flic2) {
        self.pairing = pairing
        uuid = response.uuid
        // Cut at a zero byte; anything but printable ASCII is left out.
        serialNumber = String(decoding: response.serialNumber.prefix { $0 != 0 }.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
        name = ButtonName(received: response.name.prefix(Int(response.nameLength)))
        firmwareVersion = response.firmwareVersion
        battery = BatteryLevel(raw: response.batteryLevel, unit: dialect.batteryUnit)
        isDuo = dialect == .flic2 && response.isDuo  // a reserved bit of the Twist
    }
}
