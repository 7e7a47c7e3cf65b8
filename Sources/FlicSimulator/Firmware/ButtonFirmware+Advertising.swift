import FlicClient
import FlicProtocol
package import GATT

/// What the button tells the world (protocol 2.2, 9.5).
extension ButtonFirmware {
    /// How the button advertises.
    package struct Advertising: Sendable, Equatable {
        package let isPublic: Bool
        package let interval: Duration
    }

    /// Advertising after a lost link: quick at first, then slower, then no more.
    struct AdvertisingPlan: Sendable, Equatable {
        let firstInterval: Duration
        let laterInterval: Duration
        /// When it becomes slower, in ticks.
        let slowsDown: UInt64
        let end: UInt64
    }

    package var isPublic: Bool { publicModeEnd.map { clock < $0 } ?? false }

    /// What is on the air now.
    package var advertising: Advertising? {
        if isPublic { return Advertising(isPublic: true, interval: settings.advertisingInterval) }
        guard link == nil else { return nil }
        if let end = pressAdvertisingEnd, clock < end { return Advertising(isPublic: false, interval: settings.advertisingInterval) }
        guard let plan, clock < plan.end else { return nil }
        return Advertising(isPublic: false, interval: clock < plan.slowsDown ? plan.firstInterval : plan.laterInterval)
    }

    /// Advertising data and scan response together.
    package var advertisement: Advertisement {
        var advertisement = Advertisement(address: identity.address)
        guard isPublic else { return advertisement }
        advertisement.name = localName
        advertisement.services = [identity.product.gatt.service]
        let isTaken = isLinked || faults.isConnectedElsewhere
        advertisement.manufacturerData[FlicGATT.company] =
            [identity.product == .twist ? 2 : 1] + identity.address.wireBytes.suffix(3) + [identity.address.kind.rawValue | (isTaken ? 0b10 : 0)]
        return advertisement
    }

    /// `F2`, or `T0` of a Twist, two digits of the version, and the lower half of the address, most significant byte first, in base64url.
    private var localName: String {
        let version = firmwareVersion % 100
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let address = identity.address.value & 0xFFFFFF
        let letters = (0..<4).reversed().map { alphabet[Int(address >> (6 * $0) & 0x3F)] }
        return (identity.product == .twist ? "T0" : "F2") + (version < 10 ? "0" : "") + String(version) + String(letters)
    }

    mutating func beginPublicMode() {
        publicModeEnd = clock + settings.publicModeDuration.ticks
    }

    mutating func advertiseAfterPress() {
        pressAdvertisingEnd = clock + settings.advertisingAfterPress.ticks
    }

    /// After a lost link: as the clients wished. Of several wishes the quickest intervals and the longest time count.
    mutating func advertiseAsConfigured() {
        let wishes = advertisingSettings.values.filter { $0.isActive == 1 && $0.withShortRange == 1 }
        guard let first = wishes.map(\.firstInterval).min(), let later = wishes.map(\.laterInterval).min(),
            let seconds = wishes.map(\.timeoutSeconds).max()
        else {
            plan = nil
            return
        }
        func interval(_ units: UInt16) -> Duration { .microseconds(625 * Int(min(max(units, 32), 16_384))) }
        plan = AdvertisingPlan(
            firstInterval: interval(first),
            laterInterval: interval(later),
            slowsDown: clock + Duration.seconds(5).ticks,
            end: clock + UInt64(seconds) << 15
        )
    }

    mutating func configureAdvertising(_ request: SetAdvParametersRequest, on id: UInt8) {
        advertisingSetUps += 1
        if let pairing = self[id]?.session?.pairing {
            if request.removesOtherSettings == 1 { advertisingSettings = [:] }
            advertisingSettings[pairing] = request
        }
        send(SetAdvParametersResponse(), to: id)
    }
}
