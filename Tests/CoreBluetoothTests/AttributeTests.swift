import GATT
import Testing

@testable import CoreBluetooth

@Suite("Attributes")
struct AttributeTests {
    private static func characteristic(_ uuid: String = "2A19") -> CBMutableCharacteristic {
        CBMutableCharacteristic(type: CBUUID(string: uuid), properties: [.read, .notify], value: nil, permissions: .readable)
    }

    private static func central(_ number: UInt64) -> CBCentral { CBCentral(address: BluetoothAddress(value: number), mtu: 23) }

    @Test("D40: a service has what it was given, and belongs to no remote peripheral")
    func service() {
        let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        #expect(service.uuid == CBUUID(string: "180F") && service.isPrimary && service.peripheral == nil)
        #expect(service.includedServices == nil && service.characteristics == nil)
        let helper = CBMutableService(type: CBUUID(string: "180A"), primary: false)
        service.includedServices = [helper]
        #expect(!helper.isPrimary && service.includedServices?.first === helper)
        service.includedServices = nil
        #expect(service.includedServices == nil)
    }

    @Test("D41: a characteristic has what it was given and then set to")
    func characteristic() {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "2A19"),
            properties: .read,
            value: Data([87]),
            permissions: [.readable]
        )
        #expect(characteristic.uuid == CBUUID(string: "2A19") && characteristic.value == Data([87]) && characteristic.isStatic)
        #expect(characteristic.properties == .read && characteristic.permissions == .readable)
        #expect(characteristic.descriptors == nil && characteristic.service == nil)
        #expect(!characteristic.isNotifying && !characteristic.isBroadcasted)
        characteristic.value = nil
        characteristic.properties = [.write, .notify]
        characteristic.permissions = .writeable
        #expect(characteristic.value == nil && characteristic.properties == [.write, .notify] && characteristic.permissions == .writeable)
        #expect((characteristic as CBCharacteristic).properties.contains(.notify))
    }

    @Test("D47: static is what had a value from the beginning")
    func staticValue() {
        let characteristic = Self.characteristic()
        characteristic.value = Data([1])
        #expect(characteristic.value == Data([1]) && !characteristic.isStatic)
    }

    @Test("D41: a characteristic belongs to the service that it was given to last")
    func parents() {
        let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        let (first, second) = (Self.characteristic(), Self.characteristic("2A1A"))
        service.characteristics = [first, second]
        #expect(first.service === service && second.service === service)
        service.characteristics = [second]
        #expect(first.service == nil && second.service === service)
        let other = CBMutableService(type: CBUUID(string: "180A"), primary: true)
        other.characteristics = [second]
        #expect(second.service === other)
        // The first service lets go of what is no longer its own.
        service.characteristics = nil
        #expect(second.service === other && service.characteristics == nil)
    }

    @Test("D42: a descriptor belongs to the characteristic that it was given to last")
    func descriptors() {
        let descriptor = CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Level")
        #expect(descriptor.value as? String == "Level" && descriptor.characteristic == nil)
        let (first, second) = (Self.characteristic(), Self.characteristic())
        first.descriptors = [descriptor]
        #expect(descriptor.characteristic === first && first.descriptors == [descriptor])
        second.descriptors = [descriptor]
        first.descriptors = []
        #expect(descriptor.characteristic === second)
        second.descriptors = nil
        #expect(descriptor.characteristic == nil)
        #expect(CBMutableDescriptor(type: descriptor.uuid, value: nil).value == nil)
    }

    @Test("D40, D41, D42: parents are held weakly")
    func weakness() {
        let characteristic = Self.characteristic()
        let descriptor = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Level")
        do {
            let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
            service.characteristics = [characteristic]
            let owner = Self.characteristic()
            owner.descriptors = [descriptor]
            #expect(characteristic.service != nil && descriptor.characteristic != nil)
        }
        #expect(characteristic.service == nil && descriptor.characteristic == nil)
    }

    @Test("D41: subscribers are those that the manager has set; somebody is notified if there is one")
    func subscribers() {
        let characteristic = Self.characteristic()
        #expect(characteristic.subscribedCentrals == [] && !characteristic.isNotifying)
        let centrals = [Self.central(1), Self.central(2)]
        characteristic.setSubscribers(centrals)
        #expect(characteristic.subscribedCentrals == centrals && (characteristic as CBCharacteristic).isNotifying)
        characteristic.setSubscribers([])
        #expect(characteristic.subscribedCentrals == [] && !characteristic.isNotifying)
    }

    @Test("A2: attributes are objects, equal by identity")
    func identity() {
        #expect(Set([Self.characteristic(), Self.characteristic()]).count == 2)
        #expect(CBMutableService(type: CBUUID(string: "180F"), primary: true) != CBMutableService(type: CBUUID(string: "180F"), primary: true))
    }

    @Test("A25: attributes are read by many threads while others change them")
    func threads() {
        let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        nonisolated(unsafe) let (sharedService, shared) = (service, Self.characteristic())
        let centrals = (0..<4).map { Self.central(UInt64($0)) }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<500 {
                switch thread % 4 {
                case 0: shared.setSubscribers(Array(centrals.prefix(round % 5)))
                case 1: sharedService.characteristics = round % 2 == 0 ? [shared] : nil
                case 2: shared.value = Data(count: round % 32)
                default:
                    let subscribers = shared.subscribedCentrals ?? []
                    #expect(subscribers == Array(centrals.prefix(subscribers.count)))
                    let owner = shared.service
                    #expect(owner == nil || owner === sharedService)
                    #expect((shared.value?.count ?? 0) < 32 && (sharedService.characteristics?.count ?? 0) <= 1)
                }
            }
        }
        sharedService.characteristics = [shared]
        #expect(shared.service === sharedService)
    }
}
