/// What a device says of itself on the air, as far as the transport passed it on.
public struct Advertisement: Equatable, Sendable {
    /// Who advertises.
    public var address: BluetoothAddress
    /// The local name, if it was sent.
    public var name: String?
    /// The services named.
    public var services: [BluetoothUUID]
    /// Manufacturer data by company number, the number itself removed.
    public var manufacturerData: [UInt16: [UInt8]]
    /// Signal strength in dBm, if known.
    public var rssi: Int?
    /// The adapter that heard it has a link to the device already.
    public var isConnectedHere: Bool

    /// Makes an advertisement.
    public init(
        address: BluetoothAddress,
        name: String? = nil,
        services: [BluetoothUUID] = [],
        manufacturerData: [UInt16: [UInt8]] = [:],
        rssi: Int? = nil,
        isConnectedHere: Bool = false
    ) {
        self.address = address
        self.name = name
        self.services = services
        self.manufacturerData = manufacturerData
        self.rssi = rssi
        self.isConnectedHere = isConnectedHere
    }
}
