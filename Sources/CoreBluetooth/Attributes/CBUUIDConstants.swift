// UUIDs of descriptors and of the characteristic that names a PSM.

/// More properties of a characteristic (contract D133).
public let CBUUIDCharacteristicExtendedPropertiesString: String = "2900"

/// A text for people; its value is a `String` (contract D133).
public let CBUUIDCharacteristicUserDescriptionString: String = "2901"

/// Whether a central gets notifications or indications. The system's own: a service that has it is refused (contract D133, D134).
public let CBUUIDClientCharacteristicConfigurationString: String = "2902"

/// Whether the value is broadcast (contract D133).
public let CBUUIDServerCharacteristicConfigurationString: String = "2903"

/// How the value is to be read; its value is a `Data` of 7 bytes (contract D133).
public let CBUUIDCharacteristicFormatString: String = "2904"

/// The formats of a value of several parts (contract D133).
public let CBUUIDCharacteristicAggregateFormatString: String = "2905"

/// The least and the greatest value (contract D133).
public let CBUUIDCharacteristicValidRangeString: String = "2906"

/// When the value is observed (contract D133).
public let CBUUIDCharacteristicObservationScheduleString: String = "2910"

/// The characteristic by which peripherals tell the PSM of their L2CAP channels (contract D109).
public let CBUUIDL2CAPPSMCharacteristicString: String = "ABDD3056-28FA-441D-A470-55A75A52553A"
