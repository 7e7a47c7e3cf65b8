import CoreBluetooth
import Testing

/// Values of constants, and which case has which number.
@Suite("Constants")
struct ConstantsTests {
    @Test("D59: keys of advertisements have the values that iOS prints")
    func advertisementKeys() {
        #expect(CBAdvertisementDataLocalNameKey == "kCBAdvDataLocalName")
        #expect(CBAdvertisementDataManufacturerDataKey == "kCBAdvDataManufacturerData")
        #expect(CBAdvertisementDataServiceUUIDsKey == "kCBAdvDataServiceUUIDs")
        #expect(CBAdvertisementDataServiceDataKey == "kCBAdvDataServiceData")
        #expect(CBAdvertisementDataOverflowServiceUUIDsKey == "kCBAdvDataHashedServiceUUIDs")
        #expect(CBAdvertisementDataTxPowerLevelKey == "kCBAdvDataTxPowerLevel")
        #expect(CBAdvertisementDataIsConnectable == "kCBAdvDataIsConnectable")
        #expect(CBAdvertisementDataSolicitedServiceUUIDsKey == "kCBAdvDataSolicitedServiceUUIDs")
    }

    @Test("D120, D121, D122: keys of options and of what is restored")
    func managerKeys() {
        #expect(CBPeripheralManagerOptionShowPowerAlertKey == "kCBInitOptionShowPowerAlert")
        #expect(CBPeripheralManagerOptionRestoreIdentifierKey == "kCBInitOptionRestoreIdentifier")
        #expect(CBPeripheralManagerRestoredStateServicesKey == "kCBRestoredServices")
        #expect(CBPeripheralManagerRestoredStateAdvertisementDataKey == "kCBRestoredAdvertisement")
    }

    @Test("D109, D133: UUIDs of descriptors, and of the characteristic of a PSM, are UUIDs")
    func uuids() {
        let strings = [
            CBUUIDCharacteristicExtendedPropertiesString, CBUUIDCharacteristicUserDescriptionString, CBUUIDClientCharacteristicConfigurationString,
            CBUUIDServerCharacteristicConfigurationString, CBUUIDCharacteristicFormatString, CBUUIDCharacteristicAggregateFormatString,
            CBUUIDCharacteristicValidRangeString, CBUUIDCharacteristicObservationScheduleString, CBUUIDL2CAPPSMCharacteristicString,
        ]
        #expect(strings == ["2900", "2901", "2902", "2903", "2904", "2905", "2906", "2910", "ABDD3056-28FA-441D-A470-55A75A52553A"])
        #expect(strings.map { CBUUID(string: $0).uuidString } == strings)
        #expect(CBL2CAPPSM.self == UInt16.self)
    }

    @Test("D70: domains of errors")
    func domains() {
        #expect(CBErrorDomain == "CBErrorDomain" && CBATTErrorDomain == "CBATTErrorDomain")
    }

    /// The cases of an enum that counts from 0.
    static func names<Value: RawRepresentable<Int>>(_ type: Value.Type) -> [String] {
        #expect(Value(rawValue: -1) == nil)
        let values = (0..<32).map { Value(rawValue: $0) }
        #expect(values.drop { $0 != nil }.allSatisfy { $0 == nil })
        return values.compactMap { $0.map { "\($0)" } }
    }

    private static let states = ["unknown", "resetting", "unsupported", "unauthorized", "poweredOff", "poweredOn"]

    @Test("A3, A4, D1, D2, D19, D71: the enums count from 0 in the order of the headers, and know no more cases")
    func enums() {
        #expect(Self.names(CBManagerState.self) == Self.states)
        #expect(Self.names(CBManagerAuthorization.self) == ["notDetermined", "restricted", "denied", "allowedAlways"])
        #expect(Self.names(CBPeripheralManagerConnectionLatency.self) == ["low", "medium", "high"])
        #expect(
            Self.names(CBError.Code.self) == [
                "unknown", "invalidParameters", "invalidHandle", "notConnected", "outOfSpace", "operationCancelled", "connectionTimeout",
                "peripheralDisconnected", "uuidNotAllowed", "alreadyAdvertising", "connectionFailed", "connectionLimitReached", "unkownDevice",
                "operationNotSupported", "peerRemovedPairingInformation", "encryptionTimedOut", "tooManyLEPairedDevices",
                "leGattExceededBackgroundNotificationLimit", "leGattNearBackgroundNotificationLimit",
            ]
        )
    }

    @Test("D4: the old names still count as they did, and the old authorization is today's")
    @available(*, deprecated)
    func oldNames() {
        #expect(Self.names(CBPeripheralManagerState.self) == Self.states)
        #expect(Self.names(CBPeripheralManagerAuthorizationStatus.self) == ["notDetermined", "restricted", "denied", "authorized"])
        #expect(CBPeripheralManager.authorizationStatus().rawValue == CBManager.authorization.rawValue)
    }

    @Test("D43: properties have the bits of the attribute protocol, and two of iOS's own")
    func properties() {
        let all: [CBCharacteristicProperties] = [
            .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites, .extendedProperties,
            .notifyEncryptionRequired, .indicateEncryptionRequired,
        ]
        #expect(all.map(\.rawValue) == (0..<10).map { UInt(1) << $0 })
        #expect(CBCharacteristicProperties([.read, .notify]).rawValue == 0x12)
    }

    @Test("D44: permissions have their bits")
    func permissions() {
        let all: [CBAttributePermissions] = [.readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired]
        #expect(all.map(\.rawValue) == [UInt(1), 2, 4, 8])
        #expect(CBAttributePermissions([]).isEmpty)
    }

    @Test("A5: the enums are Hashable and Sendable, and have nothing that a program may add itself")
    func conformances() {
        func check<Value: Hashable & Sendable>(_ value: Value) {
            #expect(!(value is any CustomStringConvertible))
            #expect(!(value is any Error))
            #expect(!(value is any Codable))
            #expect(!(value is any Comparable))
            #expect(!(value is any CaseIterable))
            #expect(!(value is any Identifiable))
        }
        check(CBManagerState.poweredOn)
        check(CBManagerAuthorization.denied)
        check(CBPeripheralManagerConnectionLatency.low)
        check(CBError.Code.unknown)
        check(CBATTError.Code.success)
    }
}
