// UUIDs of descriptors and of the characteristic that names a PSM (contract D133, D109).

/// More properties of a characteristic.
public let CBUUIDCharacteristicExtendedPropertiesString: String = "2900"

/// A text for people; its value is a `String`.
public let CBUUIDCharacteristicUserDescriptionString: String = "2901"

/// Whether a central gets notifications or indications. The system's own: a service that has it is refused (contract D134).
public let CBUUIDClientCharacteristicConfigurationString: String = "2902"

/// Whether the value is broadcast.
public let CBUUIDServerCharacteristicConfigurationString: String = "2903"

/// How the value is to be read; its value is a `Data` of 7 bytes.
public let CBUUIDCharacteristicFormatString: String = "2904"

/// The formats of a value of several parts.
public let CBUUIDCharacteristicAggregateFormatString: String = "2905"

/// The least and the greatest value.
public let CBUUIDCharacteristicValidRangeString: String = "2906"

/// When the value is observed.
public let CBUUIDCharacteristicObservationScheduleString: String = "2910"

/// The characteristic by which peripherals tell the PSM of their L2CAP channels.
public let CBUUIDL2CAPPSMCharacteristicString: String = "ABDD3056-28FA-441D-A470-55A75A52553A"
