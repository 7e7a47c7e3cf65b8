public import CoreBluetooth  // and nothing else: it brings Foundation and Dispatch along (contract A1)

// A program as people write them for iPhones: a sensor with a screen, in the main actor. That it compiles without warnings is the test.

/// The application's own answers (contract D73).
extension CBATTError.Code {
    static let busy = CBATTError.Code(rawValue: 0x80)!

    var caption: String {
        switch self {
        case .success: "done"
        case .busy: "busy"
        case .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption: "not allowed"
        default: "code \(rawValue)"
        }
    }
}

// Programs add conformances and members of their own (contract A5).
protocol Captioned {
    var caption: String { get }
}

extension CBManagerState: Captioned {
    var caption: String {
        switch self {
        case .unknown: "Starting"
        case .resetting: "Restarting"
        case .unsupported: "No Bluetooth"
        case .unauthorized: "Not allowed"
        case .poweredOff: "Off"
        case .poweredOn: "On"
        @unknown default: "State \(rawValue)"
        }
    }
}

extension CBService: Identifiable {
    /// For lists on the screen.
    public var id: String { uuid.uuidString }
}

/// The model of the screen.
@MainActor
final class SensorModel: NSObject {
    private lazy var peripheralManager = CBPeripheralManager(
        delegate: self,
        queue: .main,
        options: [CBPeripheralManagerOptionShowPowerAlertKey: false]
    )
    private(set) var caption = ""
    private var handlers: [CBUUID: (CBATTRequest) -> Void] = [:]
    private let level = CBMutableCharacteristic(
        type: CBUUID(string: "2A19"),
        properties: [.read, .notify],
        value: nil,
        permissions: .readable
    )

    func publish() {
        let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        service.characteristics = [level]
        peripheralManager.removeAllServices()
        peripheralManager.add(service)
        peripheralManager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
        peripheralManager.startAdvertising(nil)
    }

    func show(_ percent: UInt8) {
        peripheralManager.updateValue(Data([percent]), for: level, onSubscribedCentrals: nil)
        for central in level.subscribedCentrals ?? [] where central.maximumUpdateValueLength > 20 {
            peripheralManager.setDesiredConnectionLatency(.medium, for: central)
        }
    }

    func delegateIsSame(_ manager: CBPeripheralManager) -> Bool { manager.delegate === self }
}

// One of the ways in which a class of the main actor conforms (contract A21).
extension SensorModel: @preconcurrency CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        caption = peripheral.state.caption
        if peripheral.state == .poweredOn { publish() }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard let handler = handlers[request.characteristic.uuid] else {
            peripheral.respond(to: request, withResult: .busy)
            return
        }
        handler(request)
    }
}

/// Another.
@MainActor
final class SensorLogger: NSObject, @MainActor CBPeripheralManagerDelegate {
    private(set) var texts: [String] = []

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { texts.append("\(peripheral.isAdvertising)") }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error = error as? CBError {
            switch error.code {
            case .alreadyAdvertising: break
            case .outOfSpace: texts.append("full")
            default: texts.append(error.localizedDescription)
            }
        }
    }
}

/// A delegate of no actor.
final class NonisolatedSensorLogger: NSObject, CBPeripheralManagerDelegate, Sendable {
    nonisolated func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}
