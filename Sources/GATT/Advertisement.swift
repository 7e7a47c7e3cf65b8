/// What a device says of itself on the air, as far as the transport passed it on.
public struct Advertisement: Equatable, Sendable {
    /// Who advertises.
    public var address: BluetoothAddress
    /// The local name, if it was sent.
    public var name: String?
    /// The services named.
    public var services: [BluetoothUUID]
    /// Whether it names services that are not shown.
    public var hidden: HiddenServices
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
        hidden: HiddenServices = .none,
        manufacturerData: [UInt16: [UInt8]] = [:],
        rssi: Int? = nil,
        isConnectedHere: Bool = false
    ) {
        self.address = address
        self.name = name
        self.services = services
        self.hidden = hidden
        self.manufacturerData = manufacturerData
        self.rssi = rssi
        self.isConnectedHere = isConnectedHere
    }
}

/// Services that an advertisement names and the transport does not show: of a device that it has looked up once it may show what it found then.
public enum HiddenServices: Hashable, Sendable {
    /// There are none.
    case none
    /// There may be some.
    case possible
    /// The one that is listened for seems to be among them: nobody but us listens, and what does not name it is not passed on to us.
    case likely
}
