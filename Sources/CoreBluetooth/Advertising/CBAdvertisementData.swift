// Keys of an advertisement, with the values that iOS prints in logs (contract D59). Advertised are the first two only (contract D50).

/// The local name, a `String`.
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"

/// Services, a `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"

/// Data of the maker, a `Data` that begins with the number of the company. Not advertised.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"

/// Data of services, a `[CBUUID: Data]`. Not advertised.
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"

/// Services in Apple's own overflow area, a `[CBUUID]`. Not advertised.
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"

/// The power of the sender in dBm, a number. Not advertised.
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"

/// Whether centrals may connect, a `Bool`. Not looked at: they always may.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"

/// Services that a peripheral would like to find at a central, a `[CBUUID]`. Not advertised.
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
