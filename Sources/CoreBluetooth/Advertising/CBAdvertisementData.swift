// Keys of an advertisement, with the values that iOS prints in logs. Only the first two are advertised.

/// The local name, a `String` (contract D50, D59).
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"

/// Services, a `[CBUUID]` (contract D50, D59).
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"

/// Data of the maker, a `Data` that begins with the number of the company. Not advertised (contract D50, D59).
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"

/// Data of services, a `[CBUUID: Data]`. Not advertised (contract D50, D59).
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"

/// Services in Apple's own overflow area, a `[CBUUID]`. Not advertised (contract D52, D59).
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"

/// The power of the sender in dBm, a number. Not advertised (contract D50, D59).
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"

/// Whether centrals may connect, a `Bool`. Not looked at: they always may (contract D50, D59).
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"

/// Services that a peripheral would like to find at a central, a `[CBUUID]`. Not advertised (contract D50, D59).
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
