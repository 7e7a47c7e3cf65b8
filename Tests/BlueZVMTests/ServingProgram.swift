import BlueZ
import EventLoops
import Foundation
import Logs

@testable import CoreBluetooth

/// A program as for an iPhone, in the peripheral's role on hci0, and what it hears of its manager.
final class ServingProgram: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    private(set) var manager: CBPeripheralManager!
    /// What the manager has remarked, but for details.
    let remarks = Locked<[String]>([])
    /// What becomes of requests.
    let answering = Locked<(CBPeripheralManager, CBATTRequest) -> Void>(ServingProgram.serve)
    private let calls: AsyncStream<String>
    private let heard: AsyncStream<String>.Continuation

    /// - Parameter isDelegate: From the beginning.
    init(isDelegate: Bool = true) {
        (calls, heard) = AsyncStream.makeStream()
        super.init()
        var options = CoreBluetoothOptions()
        options.adapter = .name("hci0")
        options.log = { [remarks] level, text in
            if level > .debug { remarks.withLock { $0.append(text) } }
        }
        CoreBluetoothOptions.standard = options
        manager = CBPeripheralManager(delegate: isDelegate ? self : nil, queue: nil)
        CoreBluetoothOptions.standard = CoreBluetoothOptions()
    }

    /// The next call.
    func next() async -> String? { await calls.first { _ in true } }

    /// The calls up to one of these.
    func calls(until last: String...) async -> [String] {
        var all: [String] = []
        while let call = await next() {
            all.append(call)
            if last.contains(call) { break }
        }
        return all
    }

    func takeRemarks() -> [String] {
        remarks.withLock { remarks in
            defer { remarks = [] }
            return remarks
        }
    }

    /// The program has no use for its manager any more.
    func letGo() { manager = nil }

    /// The usual way with requests: a value of three bytes, and any write is welcome.
    static func serve(_ manager: CBPeripheralManager, _ request: CBATTRequest) {
        if request.value == nil { request.value = Data([1, 2, 3]).dropFirst(request.offset) }
        manager.respond(to: request, withResult: .success)
    }

    // MARK: Calls

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { heard.yield("state \(peripheral.state)") }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        heard.yield("advertising \(peripheral.isAdvertising)\(Self.text(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        heard.yield("added \(service.uuid.uuidString)\(Self.text(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic) {
        heard.yield("subscribed \(characteristic.uuid.uuidString) \(central.maximumUpdateValueLength)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic) {
        heard.yield("unsubscribed \(characteristic.uuid.uuidString) \(central.maximumUpdateValueLength)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        heard.yield("read \(request.characteristic.uuid.uuidString) at \(request.offset)")
        answering.withLock { $0 }(peripheral, request)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            heard.yield("write \(request.characteristic.uuid.uuidString) at \(request.offset): \(request.value?.count ?? 0) bytes")
        }
        answering.withLock { $0 }(peripheral, requests[0])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        heard.yield("channel\(Self.text(error))")
    }

    private static func text(_ error: (any Error)?) -> String {
        error.map { ", \(($0 as? CBError)?.code.rawValue ?? -1)" } ?? ""
    }
}
