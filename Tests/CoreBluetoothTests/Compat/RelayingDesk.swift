import CoreBluetooth  // and nothing else: it brings Foundation and Dispatch along (contract A1)

// Plug-ins put themselves between the library and a delegate of the program, and pass on what is optional with a question mark (contract A7).

/// Passes everything on. Its stored property has the name of the optional methods, as in real programs.
final class RelayingDesk: NSObject, CBPeripheralManagerDelegate {
    weak var other: (any CBPeripheralManagerDelegate)?
    var peripheralManager: CBPeripheralManager?

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        peripheralManager = peripheral
        other?.peripheralManagerDidUpdateState(peripheral)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        other?.peripheralManager?(peripheral, willRestoreState: dict)
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        other?.peripheralManagerDidStartAdvertising?(peripheral, error: error)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        other?.peripheralManager?(peripheral, didAdd: service, error: error)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic) {
        other?.peripheralManager?(peripheral, central: central, didSubscribeTo: characteristic)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic) {
        other?.peripheralManager?(peripheral, central: central, didUnsubscribeFrom: characteristic)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        other?.peripheralManager?(peripheral, didReceiveRead: request)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        other?.peripheralManager?(peripheral, didReceiveWrite: requests)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        other?.peripheralManagerIsReady?(toUpdateSubscribers: peripheral)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        other?.peripheralManager?(peripheral, didPublishL2CAPChannel: PSM, error: error)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        other?.peripheralManager?(peripheral, didUnpublishL2CAPChannel: PSM, error: error)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        other?.peripheralManager?(peripheral, didOpen: channel, error: error)
    }
}

/// Implements what has to be implemented (contract A6).
final class SilentDesk: NSObject, CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}

/// Has an optional method, which a subclass may override (contract A8).
class ReadingDesk: NSObject, CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {}
}

/// Answers reads.
final class GenerousDesk: ReadingDesk {
    override func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        peripheral.respond(to: request, withResult: .success)
    }
}

/// Writes down every call.
final class Chronicle: NSObject, CBPeripheralManagerDelegate {
    private(set) var lines: [String] = []

    private func number(_ error: (any Error)?) -> Int { (error as NSError?)?.code ?? -1 }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { lines.append("state") }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) { lines.append("restore \(dict.count)") }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) { lines.append("advertising \(number(error))") }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        lines.append("add \(service.uuid.uuidString) \(number(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic) {
        lines.append("subscribe \(characteristic.uuid.uuidString)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic) {
        lines.append("unsubscribe \(characteristic.uuid.uuidString)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) { lines.append("read \(request.offset)") }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) { lines.append("write \(requests.count)") }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { lines.append("ready") }

    func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        lines.append("publish \(PSM) \(number(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        lines.append("unpublish \(PSM) \(number(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        lines.append("open \(channel == nil) \(number(error))")
    }
}
