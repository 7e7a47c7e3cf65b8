import DBus
import EventLoops
import GATT

/// Something that the program wants bluetoothd to know: services, or an advertisement.
struct Offer {
    /// Names an offer within its peripheral.
    enum Key: Hashable {
        case publication(PublicationID)
        case advertisement(AdvertisementID)
    }

    enum Content {
        case services([LocalService])
        case advertisement(LocalAdvertisement)
    }

    let content: Content
    /// Offers are registered again in the order in which they were made.
    let number: UInt64
    let completion: @Sendable (PeripheralError?) -> Void
    var registration = Registration()
    /// The objects of the present attempt. They are made for each attempt, below a path of its own: what bluetoothd still asks of an
    /// earlier one finds nothing there.
    var server: ObjectServer?
    var root = ""
    var retry: ScheduledWork?
    /// bluetoothd did not take the advertisement with an interval.
    var omitsInterval = false

    /// The interface of the adapter where offers of this kind are registered.
    var manager: String {
        switch content {
        case .services: BlueZName.gattManager
        case .advertisement: BlueZName.advertisingManager
        }
    }

    /// What the manager's methods are about.
    var noun: String {
        switch content {
        case .services: "Application"
        case .advertisement: "Advertisement"
        }
    }

    /// Whether the adapter must be switched on at first. Services are taken in any case (contract D21).
    var needsPower: Bool {
        switch content {
        case .services: false
        case .advertisement: true
        }
    }

    /// The characteristics that it publishes.
    var characteristics: [LocalCharacteristic] {
        switch content {
        case .services(let services): services.flatMap(\.characteristics)
        case .advertisement: []
        }
    }

    /// An advertisement that may be taken without its interval.
    var canOmitInterval: Bool {
        guard case .advertisement(let advertisement) = content else { return false }
        return advertisement.interval != nil && !omitsInterval
    }
}
