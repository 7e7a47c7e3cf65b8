// Options of a manager, and keys of what is restored, with the values of iOS (contract D122).

/// Whether to warn users when Bluetooth is switched off, a `Bool`. The warning is a line in the log (contract D121).
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"

/// A name for the manager, a `String`, under which its services and advertising may be restored (contract D120).
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

/// What was published, a `[CBMutableService]` (contract D120).
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"

/// What was advertised, a `[String: Any]` (contract D120).
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
