package import GATT

/// The service of a Flic 2, and how a link to it is made (protocol 2).
package enum FlicGATT {
    package static let service = BluetoothUUID("00420000-8f59-4420-870d-84f3b617e493")!
    /// Client to button, Write Without Response.
    package static let toButton = BluetoothUUID("00420001-8f59-4420-870d-84f3b617e493")!
    /// Button to client, Notify.
    package static let fromButton = BluetoothUUID("00420002-8f59-4420-870d-84f3b617e493")!
    /// Company whose manufacturer data a button in public mode sends.
    package static let company: UInt16 = 0x030F
    /// How long a link may take while pairing (protocol 6.3).
    static let linkTimeout = Duration.seconds(31)
    /// How long a link to a button may take that was heard just now: a round of the kernel's scanning, and what it takes to make a few links before.
    static let relinkTimeout = Duration.seconds(15)

    static func request(for address: BluetoothAddress, timeout: Duration = linkTimeout) -> LinkRequest {
        LinkRequest(address: address, service: service, notifying: [fromButton], writable: [toButton], timeout: timeout)
    }
}

extension Advertisement {
    /// A Flic 2 or Duo in public mode, which can be paired (protocol 2.2).
    package var isPublicFlic: Bool { services.contains(FlicGATT.service) }

    /// The button says that it is connected to another host right now. Data of any other length say nothing, and a link of this
    /// adapter is no other host's.
    package var isConnectedElsewhere: Bool {
        guard !isConnectedHere, let data = manufacturerData[FlicGATT.company], data.count == 5 else { return false }
        return data[4] & 2 != 0
    }
}
