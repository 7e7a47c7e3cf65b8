import CoreBluetooth

/// Environmental Sensing (0x181A) with a Temperature (0x2A6E), and a note.
final class Sensor: NSObject {
    private static let sensing = CBUUID(string: "181A")

    private let name: String
    private var manager: CBPeripheralManager?
    private var clock: (any DispatchSourceTimer)?
    /// In hundredths of a degree Celsius, as the characteristic has it.
    private var hundredths: Int16 = 2150
    private var noteText = Data("nothing yet".utf8)

    private let temperature = CBMutableCharacteristic(
        type: CBUUID(string: "2A6E"),
        properties: [.read, .notify],
        value: nil,
        permissions: .readable
    )
    private let note = CBMutableCharacteristic(
        type: CBUUID(string: "7A3B0101-52C8-4D5E-9F10-6C1B2E3D4F50"),
        properties: [.read, .write],
        value: nil,
        permissions: [.readable, .writeable]
    )

    init(name: String) {
        self.name = name
    }

    func start() {
        note.descriptors = [CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Note")]
        manager = CBPeripheralManager(delegate: self, queue: .main)
        let clock = DispatchSource.makeTimerSource(queue: .main)
        clock.schedule(deadline: .now() + 1, repeating: 1)
        clock.setEventHandler { [weak self] in self?.measure() }
        clock.activate()
        self.clock = clock
    }

    private var temperatureValue: Data { withUnsafeBytes(of: hundredths.littleEndian) { Data($0) } }

    /// A room in which somebody opens the window now and then. A value for which there is no room is left out: the next one is newer.
    private func measure() {
        hundredths = min(max(hundredths + Int16.random(in: -10...10), 1500), 3000)
        manager?.updateValue(temperatureValue, for: temperature, onSubscribedCentrals: nil)
    }
}

extension Sensor: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        print("Bluetooth: \(peripheral.state)")
        guard peripheral.state == .poweredOn else { return }
        // The adapter may have been switched off and on: then the service is still there.
        peripheral.removeAllServices()
        let service = CBMutableService(type: Self.sensing, primary: true)
        service.characteristics = [temperature, note]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return print("no service: \(error.localizedDescription)") }
        guard !peripheral.isAdvertising else { return }
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [Self.sensing]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        print(error.map { "not advertising: \($0.localizedDescription)" } ?? "advertising as \(name)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic) {
        print("\(central.identifier) subscribes")
        peripheral.updateValue(temperatureValue, for: temperature, onSubscribedCentrals: [central])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic) {
        print("\(central.identifier) unsubscribes")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let value = request.characteristic === note ? noteText : temperatureValue
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            guard let value = request.value, request.offset <= noteText.count, request.offset + value.count <= 512 else {
                return peripheral.respond(to: request, withResult: .invalidAttributeValueLength)
            }
            noteText = noteText.prefix(request.offset) + value
            print("note: \(String(decoding: noteText, as: UTF8.self))")
        }
        peripheral.respond(to: requests[0], withResult: .success)
    }
}
