import GATT
import Testing

@testable import BlueZ
@testable import CoreBluetooth

@Suite("Advertising of a peripheral manager (contract D.5)")
struct ManagerAdvertisingTests {
    @Test("D12, D13: advertising until stopped")
    func start() async {
        let stage = await Stage()
        await stage.transport.wait()
        stage.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Desk", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180F")]])
        await stage.settle()
        #expect(!stage.manager.isAdvertising)
        await stage.transport.answerAdvertisement()
        #expect(await stage.heard() == ["state poweredOn", "advertising true"])
        let content = await stage.transport.advertised.values.first
        #expect(content?.name == "Desk" && content?.services == [BluetoothUUID(assigned: 0x180F)])
        stage.manager.stopAdvertising()
        #expect(!stage.manager.isAdvertising)
        stage.manager.stopAdvertising()
        #expect(await stage.heard() == [])
        #expect(await stage.transport.journal == ["advertise", "stop"])
    }

    @Test(
        "D54, D50: nothing to say, and keys that are ignored",
        arguments: [nil, [:], [CBAdvertisementDataManufacturerDataKey: Data([1])]] as [[String: Data]?]
    )
    func nothing(data: [String: Data]?) async {
        let stage = await Stage()
        stage.manager.startAdvertising(data)
        #expect(await stage.heard() == ["state poweredOn", "advertising true"])
        #expect(await stage.transport.advertised.values.first == LocalAdvertisement())
    }

    @Test("D55: a second start is refused, and the first goes on")
    func twice() async {
        let stage = await Stage()
        stage.manager.startAdvertising(nil)
        await stage.settle()
        stage.manager.startAdvertising(nil)
        #expect(await stage.heard() == ["state poweredOn", "advertising true", "advertising true, 9"])
        #expect(await stage.transport.journal == ["advertise"])
    }

    @Test("D14: stopped before the answer, it is undone, and the start is answered")
    func stoppedEarly() async {
        let stage = await Stage()
        await stage.transport.wait()
        stage.manager.startAdvertising(nil)
        stage.manager.stopAdvertising()
        #expect(await stage.heard() == ["state poweredOn", "advertising false, 5"])
        await stage.transport.answerAdvertisement(PeripheralError(.withdrawn))
        #expect(await stage.heard() == [])
        #expect(await stage.transport.journal == ["advertise", "stop"])
        #expect(!stage.manager.isAdvertising)
    }

    @Test("Stopped when the answer is on its way to the delegate, it does not show as advertising")
    func stoppedLate() async {
        let stage = await Stage()
        _ = await stage.heard()
        // The delivery queue is busy while the start succeeds.
        let gate = DispatchSemaphore(value: 0)
        stage.queue.async { gate.wait() }
        stage.manager.startAdvertising(nil)
        while await stage.transport.journal.isEmpty { await Task.yield() }
        stage.manager.stopAdvertising()
        gate.signal()
        #expect(await stage.heard().first?.hasPrefix("advertising false") == true)
        #expect(!stage.manager.isAdvertising)
        #expect(await stage.transport.advertised.isEmpty)
    }

    @Test(
        "D56: refusals",
        arguments: [(.limitReached, 4), (.failed, 0), (.invalid, 1), (.denied, 13)] as [(PeripheralError.Code, Int)]
    )
    func refused(code: PeripheralError.Code, number: Int) async {
        let stage = await Stage()
        await stage.transport.wait()
        stage.manager.startAdvertising(nil)
        await stage.settle()
        await stage.transport.answerAdvertisement(PeripheralError(code))
        #expect(await stage.heard() == ["state poweredOn", "advertising false, \(number)"])
        stage.manager.startAdvertising(nil)
        await stage.settle()
        await stage.transport.answerAdvertisement()
        #expect(await stage.heard() == ["advertising true"])
    }

    @Test("D56: if the power goes meanwhile, it waits for it")
    func held() async {
        let stage = await Stage()
        await stage.transport.wait()
        stage.manager.startAdvertising(nil)
        await stage.settle()
        await stage.transport.answerAdvertisement(PeripheralError(.notPoweredOn))
        await stage.tell(.state(.poweredOff))
        #expect(await stage.heard() == ["state poweredOn", "state poweredOff"])
        await stage.tell(.state(.poweredOn))
        await stage.transport.answerAdvertisement()
        #expect(await stage.heard() == ["state poweredOn", "advertising true"])
    }

    @Test("D52: services that do not fit are left out: those with assigned numbers come first")
    func services() {
        let long = (1...3).map { CBUUID(string: "7A3B000\($0)-52C8-4D5E-9F10-6C1B2E3D4F50") }
        let short = (0..<20).map { CBUUID(string: String(format: "18%02X", $0)) }
        func content(_ uuids: [CBUUID]) -> (services: [BluetoothUUID], lines: [String]) {
            var lines: [String] = []
            let advertisement = LocalAdvertisement([CBAdvertisementDataServiceUUIDsKey: uuids]) { lines.append($0) }
            #expect(advertisement.excess == nil)
            return (advertisement.services, lines)
        }
        #expect(content([long[0], short[0]]) == ([long[0], short[0]].map(\.bluetoothUUID), []))
        #expect(content(Array(long.prefix(2))).services == [long[0].bluetoothUUID])
        #expect(content(Array(long.prefix(2))).lines == ["not all can be advertised: services and manufacturer data are 6 bytes too long"])
        #expect(content([long[0], short[0], short[1], long[1]]).services == [short[0], short[1], long[0]].map(\.bluetoothUUID))
        #expect(content(short).services == short.prefix(13).map(\.bluetoothUUID))
        #expect(content(Array(short.prefix(13))).lines == [])
    }

    @Test(
        "D53: the name is cut to 29 bytes, not within a character",
        arguments: [
            (String(repeating: "a", count: 29), 29), (String(repeating: "a", count: 30), 29), (String(repeating: "é", count: 15), 28),
            ("a" + String(repeating: "😀", count: 8), 29), (String(repeating: "😀", count: 9), 28), ("", 0),
        ]
    )
    func name(text: String, bytes: Int) {
        let advertisement = LocalAdvertisement([CBAdvertisementDataLocalNameKey: text]) { _ in }
        #expect(advertisement.name?.utf8.count == bytes)
        #expect(text.hasPrefix(advertisement.name ?? "-"))
    }
}
