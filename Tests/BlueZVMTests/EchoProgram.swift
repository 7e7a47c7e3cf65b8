import BlueZ
import Foundation

@testable import CoreBluetooth

/// A program as for an iPhone: it publishes a channel, and sends back what comes.
final class EchoProgram: NSObject, CBPeripheralManagerDelegate, StreamDelegate, @unchecked Sendable {
    /// What the program hears of its manager.
    enum Call: Equatable, Sendable {
        case published(CBL2CAPPSM)
        case added
        case opened(central: UUID)
        case unpublished(CBL2CAPPSM)
        case failed(String)
        case ended
    }

    let calls: AsyncStream<Call>
    private let heard: AsyncStream<Call>.Continuation
    private var manager: CBPeripheralManager!
    private var channel: CBL2CAPChannel?
    private let requiresEncryption: Bool

    init(requiresEncryption: Bool = false) {
        self.requiresEncryption = requiresEncryption
        (calls, heard) = AsyncStream.makeStream()
        super.init()
        var options = CoreBluetoothOptions()
        options.adapter = .name("hci0")
        CoreBluetoothOptions.standard = options
        manager = CBPeripheralManager(delegate: self, queue: nil)
        CoreBluetoothOptions.standard = CoreBluetoothOptions()
    }

    /// The next call.
    func next() async -> Call? { await calls.first { _ in true } }

    func unpublish(_ psm: CBL2CAPPSM) { manager.unpublishL2CAPChannel(psm) }

    /// Tells centrals the number.
    func tell(_ psm: CBL2CAPPSM) {
        let service = CBMutableService(type: CBUUID(string: "FF10"), primary: true)
        let value = Data([UInt8(psm & 0xFF), UInt8(psm >> 8)])
        service.characteristics = [
            CBMutableCharacteristic(type: CBUUID(string: CBUUIDL2CAPPSMCharacteristicString), properties: .read, value: value, permissions: .readable)
        ]
        manager.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        note(error.map { .failed("\($0)") } ?? .added)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.publishL2CAPChannel(withEncryption: requiresEncryption)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        if let error { return note(.failed("\(error)")) }
        note(.published(PSM))
        peripheral.startAdvertising(nil)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        note(error.map { .failed("\($0)") } ?? .unpublished(PSM))
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        guard let channel else { return note(.failed("\(String(describing: error))")) }
        self.channel = channel
        for stream in [channel.inputStream, channel.outputStream] as [Stream] {
            stream.delegate = self
            stream.schedule(in: .main, forMode: .default)
            stream.open()
        }
        note(.opened(central: channel.peer.identifier))
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case .hasBytesAvailable:
            guard let channel, aStream === channel.inputStream else { return }
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = channel.inputStream.read(&bytes, maxLength: bytes.count)
            if count > 0 { _ = channel.outputStream.write(bytes, maxLength: count) }
        case .endEncountered, .errorOccurred:
            aStream.close()
            if aStream === channel?.inputStream { note(.ended) }
        default: break
        }
    }

    private func note(_ call: Call) { heard.yield(call) }
}
