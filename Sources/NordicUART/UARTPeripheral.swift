public import CoreBluetooth

/// The UUIDs of the service, named from the view of the client (contract C16, C.2). Programs cannot make one.
open class UARTPeripheral: NSObject {
    private override init() {}

    /// The Nordic UART Service.
    public class func uartServiceUUID() -> CBUUID { CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E") }

    /// The client writes here.
    public class func txCharacteristicsUUID() -> CBUUID { CBUUID(string: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E") }

    /// The client is notified here.
    public class func rxCharacteristicsUUID() -> CBUUID { CBUUID(string: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E") }

    /// Device Information.
    public class func deviceInformationServiceUUID() -> CBUUID { CBUUID(string: "180A") }

    /// Hardware Revision String. It is not waited for.
    public class func hardwareRevisionStringUUID() -> CBUUID { CBUUID(string: "2A27") }
}
