// Options of a manager, and keys of what is restored, with the values of iOS (contract D122).

/// Whether to warn users when Bluetooth is off, a `Bool`. Accepted and without effect: nobody could be shown a warning (contract D121).
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"

/// A name for the manager, a `String`, under which its services and advertising may be restored (contract D120).
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

/// What was published, a `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"

/// What was advertised, a `[String: Any]`.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
