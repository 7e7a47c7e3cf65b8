import EventLoops
import GATT
import Testing

@testable import CoreBluetooth

@Suite("Services of a peripheral manager (contract D.4)")
struct ManagerServiceTests {
    private static func service(_ uuid: String, _ characteristics: CBMutableCharacteristic...) -> CBMutableService {
        let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
        service.characteristics = characteristics
        return service
    }

    @Test("D15, D33: answers come in the order of the calls, whatever they are, with the object that was given")
    func order() async {
        let stage = await Stage()
        let services = [Sensor().service, Self.service("1800"), Self.service("FF10")]
        for service in services { stage.manager.add(service) }
        #expect(await stage.heard() == ["state poweredOn", "added 180F", "added 1800, 8", "added FF10"])
        #expect(stage.delegate.services.withLock { $0 } == services)
        #expect(await stage.transport.journal == ["publish 0000180f", "publish 0000ff10"])
    }

    @Test("D16: services are taken back; unknown ones are no error")
    func removal() async {
        let (stage, sensor) = (await Stage(), Sensor())
        await stage.publish(sensor.service)
        stage.manager.remove(Self.service("FF10"))
        stage.manager.remove(sensor.service)
        stage.manager.remove(sensor.service)
        await stage.settle()
        #expect(await stage.transport.takeJournal() == ["unpublish 0000180f"])
        stage.manager.add(sensor.service)
        stage.manager.add(Self.service("FF10"))
        stage.manager.removeAllServices()
        await stage.settle()
        #expect(await stage.transport.published.isEmpty)
        #expect(stage.log.take() == [])
    }

    @Test("D45: an included service is published once, together with the one that includes it")
    func included() async {
        let (stage, sensor) = (await Stage(), Sensor())
        let hub = Self.service("FF10")
        hub.includedServices = [sensor.service]
        stage.manager.add(hub)
        #expect(await stage.heard() == ["state poweredOn", "added FF10, 1"], "not before it")
        stage.manager.add(sensor.service)
        stage.manager.add(hub)
        #expect(await stage.heard() == ["added 180F", "added FF10"])
        #expect(await stage.transport.takeJournal() == ["publish 0000180f", "unpublish 0000180f", "publish 0000180f+0000ff10"])
        stage.manager.remove(sensor.service)
        await stage.settle()
        #expect(await stage.transport.takeJournal() == [], "still included")
        #expect(stage.log.take().count == 1)
        stage.manager.remove(hub)
        stage.manager.remove(sensor.service)
        await stage.settle()
        #expect(await stage.transport.takeJournal() == ["unpublish 0000180f+0000ff10", "publish 0000180f", "unpublish 0000180f"])
    }

    @Test("D45: subscribers of a service that is published anew are unsubscribed")
    func interruption() async throws {
        let (stage, sensor) = (await Stage(), Sensor())
        await stage.publish(sensor.service)
        await stage.tell(.subscribed(try #require(await stage.transport.name("FF02")), Stage.phone))
        _ = await stage.heard()
        let hub = Self.service("FF10")
        hub.includedServices = [sensor.service]
        stage.manager.add(hub)
        #expect(await stage.heard() == ["unsubscribed FF02 182 of 0", "added FF10"])
    }

    @Test("What is published again is not taken for its former attempt, which is answered late")
    func attempts() async {
        let (stage, sensor) = (await Stage(), Sensor())
        await stage.transport.wait()
        func add(_ service: CBMutableService) async {
            stage.manager.add(service)
            await stage.settle()
        }
        await add(sensor.service)
        await stage.transport.answerPublication()
        let hubs = ["FF10", "FF11"].map { Self.service($0) }
        for hub in hubs { hub.includedServices = [sensor.service] }
        await add(hubs[0])
        await stage.transport.answerPublication(PeripheralError(.failed))
        await stage.settle()
        await add(hubs[1])
        stage.manager.remove(hubs[1])
        #expect(await stage.heard() == ["state poweredOn", "added 180F", "added FF10, 0", "added FF11, 5"])
        // The sensor alone, the two together, the sensor alone again.
        await stage.transport.answerPublication(PeripheralError(.withdrawn))
        await stage.transport.answerPublication(PeripheralError(.withdrawn))
        await stage.transport.answerPublication()
        await stage.settle()
        #expect(await stage.transport.services.map { $0.map(\.uuid.short) } == [["0000180f"]])
        stage.manager.removeAllServices()
        await stage.settle()
        #expect(await stage.transport.published.isEmpty)
    }

    @Test("D46: properties and permissions as bluetoothd's flags")
    func flags() {
        typealias Row = (CBCharacteristicProperties, CBAttributePermissions, Set<LocalCharacteristic.Flag>)
        let rows: [Row] = [
            (.read, .readable, [.read]),
            (.read, .readEncryptionRequired, [.encryptRead]),
            (.write, .writeable, [.write]),
            (.writeWithoutResponse, .writeable, [.writeWithoutResponse]),
            ([.write, .writeWithoutResponse], .writeable, [.write, .writeWithoutResponse]),
            (.write, .writeEncryptionRequired, [.encryptWrite]),
            ([.write, .writeWithoutResponse], .writeEncryptionRequired, [.encryptWrite, .writeWithoutResponse]),
            (.writeWithoutResponse, .writeEncryptionRequired, [.encryptWrite, .writeWithoutResponse]),
            (.notify, [], [.notify]),
            (.indicate, [], [.indicate]),
            (.notifyEncryptionRequired, [], [.encryptNotify]),
            (.indicateEncryptionRequired, [], [.encryptIndicate]),
            (.authenticatedSignedWrites, .writeable, [.authenticatedSignedWrites]),
            (.read, [], [.read]),
            (.write, [], [.write]),
            ([], [.readable, .writeable], [.read]),
            (.authenticatedSignedWrites, [], [.read]),
        ]
        for (properties, permissions, flags) in rows {
            #expect(LocalCharacteristic.flags(properties, permissions) == flags, "\(properties) \(permissions)")
        }
    }

    @Test("D46: what may not be read or written is refused without asking the program")
    func notPermitted() async throws {
        let stage = await Stage()
        let service = Self.service("FF10")
        let silent = CBMutableCharacteristic(type: CBUUID(string: "FF11"), properties: [.read, .write], value: nil, permissions: [])
        let stated = CBMutableCharacteristic(type: CBUUID(string: "FF12"), properties: .read, value: Data([1]), permissions: [])
        service.characteristics = [silent, stated]
        await stage.publish(service)
        let name = try #require(await stage.transport.name("FF11"))
        await stage.ask(1) { .read($0, name, offset: 0, Stage.phone) }
        await stage.ask(2) { .write($0, name, value: [1], offset: 0, Stage.phone) }
        #expect(await stage.answer(1) == .failure(.readNotPermitted))
        #expect(await stage.answer(2) == .failure(.writeNotPermitted))
        #expect(await stage.heard() == [])
        #expect(await stage.transport.services.first?.first?.characteristics.last?.value == nil, "not served by the transport either")
    }

    @Test("D47: a static value is handed over, and must be read-only")
    func staticValues() async {
        let stage = await Stage()
        let good = CBMutableCharacteristic(type: CBUUID(string: "FF11"), properties: .read, value: Data([1, 2]), permissions: .readable)
        let writable = CBMutableCharacteristic(
            type: CBUUID(string: "FF12"),
            properties: [.read, .write],
            value: Data([1]),
            permissions: [.readable, .writeable]
        )
        let notifying = CBMutableCharacteristic(type: CBUUID(string: "FF13"), properties: [.read, .notify], value: Data([1]), permissions: .readable)
        let long = CBMutableCharacteristic(type: CBUUID(string: "FF14"), properties: .read, value: Data(count: 513), permissions: .readable)
        for (number, characteristic) in [good, writable, notifying, long].enumerated() {
            stage.manager.add(Self.service("FF2\(number)", characteristic))
        }
        #expect(await stage.heard() == ["state poweredOn", "added FF20", "added FF21, 1", "added FF22, 1", "added FF23, 1"])
        #expect(await stage.transport.services.first?.first?.characteristics.first?.value == [1, 2])
    }

    @Test("D45: the value of a dynamic characteristic is not looked at")
    func dynamicValue() async {
        let (stage, sensor) = (await Stage(), Sensor())
        sensor.note.value = Data([1])
        stage.manager.add(sensor.service)
        #expect(await stage.heard() == ["state poweredOn", "added 180F"])
        #expect(await stage.transport.services.first?.first?.characteristics.first?.value == nil)
    }

    @Test("D45: what is changed in a published service has no effect until it is removed and added again")
    func changes() async throws {
        let (stage, sensor) = (await Stage(), Sensor())
        let stated = CBMutableCharacteristic(type: CBUUID(string: "FF03"), properties: .read, value: Data([1]), permissions: .readable)
        sensor.service.characteristics = [sensor.note, sensor.ticks, stated]
        let helper = Self.service("FF10")
        await stage.publish(helper)
        await stage.publish(sensor.service)
        let (note, ticks) = (try #require(await stage.transport.name("FF01")), try #require(await stage.transport.name("FF02")))

        sensor.note.permissions = []
        sensor.note.properties = .read
        sensor.note.descriptors = [CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Note")]
        stated.value = Data([2])
        let added = CBMutableCharacteristic(type: CBUUID(string: "FF04"), properties: .read, value: nil, permissions: .readable)
        sensor.service.characteristics = [sensor.note, stated, added]
        sensor.service.includedServices = [helper]
        await stage.ask(1) { .write($0, note, value: [7], offset: 0, Stage.phone) }
        #expect(await stage.heard() == ["write FF01 at 0: [7]"], "still writeable")
        await stage.tell(.subscribed(ticks, Stage.phone))
        #expect(await stage.heard() == ["subscribed FF02 182 of 1"], "still a part of it")
        #expect(stage.manager.updateValue(Data([1]), for: sensor.ticks, onSubscribedCentrals: nil))
        await stage.settle()
        #expect(await stage.transport.updates.map(\.value) == [[1]])
        #expect(await stage.transport.takeJournal() == [])

        stage.manager.remove(sensor.service)
        stage.manager.add(sensor.service)
        #expect(await stage.heard() == ["added 180F"])
        #expect(await stage.transport.takeJournal() == ["unpublish 0000180f", "unpublish 0000ff10", "publish 0000ff10+0000180f"])
        let characteristics = try #require(await stage.transport.services.last?.last).characteristics
        #expect(characteristics.map(\.uuid.short) == ["0000ff01", "0000ff03", "0000ff04"])
        #expect(characteristics.map(\.flags) == [[.read], [.read], [.read]] && characteristics[0].descriptors.count == 1)
        #expect(characteristics[1].value == [2])
        await stage.ask(2) { .write($0, characteristics[0].id, value: [8], offset: 0, Stage.phone) }
        #expect(await stage.answer(2) == .failure(.writeNotPermitted))
    }

    @Test("D42, D134: of descriptors only descriptions and formats may be made")
    func descriptors() async {
        let stage = await Stage()
        typealias Row = (String, Any?, Bool)
        let rows: [Row] = [
            (CBUUIDCharacteristicUserDescriptionString, "Höhe", true),
            (CBUUIDCharacteristicUserDescriptionString, Data([1]), false),
            (CBUUIDCharacteristicUserDescriptionString, nil, false),
            (CBUUIDCharacteristicFormatString, Data(count: 7), true),
            (CBUUIDCharacteristicFormatString, Data(count: 6), false),
            (CBUUIDClientCharacteristicConfigurationString, Data([0, 0]), false),
            (CBUUIDCharacteristicExtendedPropertiesString, Data([0, 0]), false),
            ("FF99", Data([1]), false),
        ]
        _ = await stage.heard()
        for (number, (type, value, isGood)) in rows.enumerated() {
            let characteristic = CBMutableCharacteristic(type: CBUUID(string: "FF11"), properties: .read, value: nil, permissions: .readable)
            characteristic.descriptors = [CBMutableDescriptor(type: CBUUID(string: type), value: value)]
            stage.manager.add(Self.service("FF2\(number)", characteristic))
            #expect(await stage.heard() == ["added FF2\(number)\(isGood ? "" : ", 1")"], "\(type)")
        }
        #expect(await stage.transport.services.first?.first?.characteristics.first?.descriptors.first?.value == Array("Höhe".utf8))
    }

    @Test("D46, D48, D49: what cannot be published", arguments: ["1800", "1801", "1805", "broadcast", "extended", "twice", "shared"])
    func refused(what: String) async {
        let stage = await Stage()
        _ = await stage.heard()
        func characteristic(_ properties: CBCharacteristicProperties) -> CBMutableCharacteristic {
            CBMutableCharacteristic(type: CBUUID(string: "FF11"), properties: properties, value: nil, permissions: .readable)
        }
        switch what {
        case "broadcast": stage.manager.add(Self.service("FF20", characteristic([.read, .broadcast])))
        case "extended": stage.manager.add(Self.service("FF20", characteristic([.read, .extendedProperties])))
        case "twice", "shared":
            let service = Self.service("FF20", characteristic(.read))
            await stage.publish(service)
            stage.manager.add(what == "twice" ? service : Self.service("FF20", service.characteristics![0] as! CBMutableCharacteristic))
        default: stage.manager.add(Self.service(what))
        }
        #expect(await stage.heard() == ["added \(what.count == 4 ? "\(what), 8" : "FF20, 1")"])
    }

    @Test("D49: bluetoothd has services of these kinds, too, but programs may as well", arguments: ["180A", "180F"])
    func allowed(uuid: String) async {
        let stage = await Stage()
        stage.manager.add(Self.service(uuid))
        #expect(await stage.heard() == ["state poweredOn", "added \(uuid)"])
        #expect(await stage.transport.services.map { $0.map(\.uuid) } == [[BluetoothUUID(assigned: uuid == "180A" ? 0x180A : 0x180F)]])
    }

    @Test("Causes of bluetoothd do not show in the sentence, but are there (contract A33)")
    func causes() async throws {
        let stage = await Stage()
        await stage.transport.wait()
        stage.manager.add(Sensor().service)
        await stage.settle()
        await stage.transport.answerPublication(PeripheralError(.denied, detail: "org.bluez: AccessDenied"))
        #expect(await stage.heard() == ["state poweredOn", "added 180F, 13"])
        let error = Refusal(PeripheralError(.denied, detail: "org.bluez: AccessDenied")).error as NSError
        #expect(error.userInfo[NSDebugDescriptionErrorKey] as? String == "org.bluez: AccessDenied")
        #expect(!error.localizedDescription.contains("org.bluez"))
    }
}
