package import GATT

/// The services of buttons, and how a link to one is made (protocol 2, 14.1). Without further words, those of a Flic 2 and Duo.
package enum FlicGATT {
    package static let service = BluetoothUUID("00420000-8f59-4420-870d-84f3b617e493")!
    /// Client to button, Write Without Response.
    package static let toButton = BluetoothUUID("00420001-8f59-4420-870d-84f3b617e493")!
    /// Button to client, Notify.
    package static let fromButton = BluetoothUUID("00420002-8f59-4420-870d-84f3b617e493")!
    /// A service with its two characteristics.
    package struct Service: Hashable, Sendable {
        package let service: BluetoothUUID
        /// Client to button, Write Without Response.
        package let toButton: BluetoothUUID
        /// Button to client, Notify.
        package let fromButton: BluetoothUUID
    }

    package static let flic2 = Service(service: service, toButton: toButton, fromButton: fromButton)
    package static let twist = Service(
        service: BluetoothUUID("00c90000-2cbd-4f2a-a725-5ccd960ffb7d")!,
        toButton: BluetoothUUID("00c90001-2cbd-4f2a-a725-5ccd960ffb7d")!,
        fromButton: BluetoothUUID("00c90002-2cbd-4f2a-a725-5ccd960ffb7d")!
    )
    /// What buttons in public mode advertise.
    package static let services = [flic2.service, twist.service]
    /// Company whose manufacturer data a button in public mode sends.
    package static let company: UInt16 = 0x030F
    /// How long a link may take while pairing (protocol 6.3).
    static let linkTimeout = Duration.seconds(31)
    /// How long a link to a button may take that was heard just now: a round of the kernel's scanning, and what it takes to make a few links before.
    static let relinkTimeout = Duration.seconds(15)

    static func request(for address: BluetoothAddress, _ product: FlicProduct, timeout: Duration = linkTimeout) -> LinkRequest {
        let gatt = product.gatt
        return LinkRequest(address: address, service: gatt.service, notifying: [gatt.fromButton], writable: [gatt.toButton], timeout: timeout)
    }
}

extension FlicProduct {
    package var gatt: FlicGATT.Service { self == .twist ? FlicGATT.twist : FlicGATT.flic2 }
}

extension Advertisement {
    /// A button in public mode, which can be paired (protocol 2.2).
    package var isPublicFlic: Bool { publicProduct != nil }

    /// What kind of button it is, if it is one in public mode; a Duo says only later that it is one.
    var publicProduct: FlicProduct? {
        if services.contains(FlicGATT.flic2.service) { return .flic2 }
        return services.contains(FlicGATT.twist.service) ? .twist : nil
    }

    /// The button says that it is connected to another host right now. Data of any other length say nothing, and a link of this
    /// adapter is no other host's.
    package var isConnectedElsewhere: Bool {
        guard !isConnectedHere, let data = manufacturerData[FlicGATT.company], data.count == 5 else { return false }
        return data[4] & 2 != 0
    }
}
