import BlueZ
import Foundation
import GATT
import Testing

@testable import CoreBluetooth
@testable import FaultMatrix

extension OverTheAirTests {
    /// A program's manager on one adapter, and centrals that know nothing of the system's Bluetooth.
    @Suite("The peripheral's role, as centrals see it")
    struct Managers {
        @Test("D11: a delegate that is set later hears what comes then, and nothing of what was before", .timeLimit(.minutes(2)))
        func lateDelegate() async throws {
            let program = ServingProgram(isDelegate: false)
            while program.manager.state != .poweredOn { try await Task.sleep(for: .milliseconds(10)) }
            await MainActor.run {}  // the call that nobody hears is over, too
            program.manager.delegate = program
            program.manager.add(Self.service("FF10"))
            #expect(await program.next() == "added FF10")
        }

        @Test(
            "D12, D14, D21, D57, D102: commands are dropped as long as Bluetooth is off, but for services; advertising goes on later, unless stopped",
            .timeLimit(.minutes(2))
        )
        func power() async throws {
            let central = try await RawCentral()
            let program = ServingProgram()
            let manager = try #require(program.manager)
            manager.add(Self.service("FF30"))
            manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Early"])
            manager.publishL2CAPChannel(withEncryption: false)
            #expect(program.takeRemarks().count == 3)
            #expect(await program.next() == "state poweredOn")
            #expect(!manager.isAdvertising)
            manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Switch"])
            #expect(await program.next() == "advertising true")

            await Machine.setPower("hci0", false)
            #expect(await program.next() == "state poweredOff")
            #expect(manager.isAdvertising)
            manager.startAdvertising(nil)
            manager.publishL2CAPChannel(withEncryption: false)
            #expect(program.takeRemarks().count == 2)
            let (kept, removed) = (Self.service("FF10"), Self.service("FF20"))
            manager.add(kept)
            manager.add(removed)
            #expect(await program.next() == "added FF10")
            #expect(await program.next() == "added FF20")
            manager.remove(removed)

            await Machine.setPower("hci0", true)
            #expect(await program.next() == "state poweredOn")
            let said = try await central.scan()
            #expect(said.response.name == "Switch" && manager.isAdvertising)
            let services = try await central.connect()
            #expect(Set(services.map(\.uuid)).intersection(["FF10", "FF20", "FF30"]) == ["FF10"])
            try await central.do("disconnect")

            await Machine.setPower("hci0", false)
            #expect(await program.next() == "state poweredOff")
            manager.stopAdvertising()
            #expect(!manager.isAdvertising)
            await Machine.setPower("hci0", true)
            #expect(await program.next() == "state poweredOn")
            #expect(try await central.hearsNothing())
            #expect(program.takeRemarks() == [])
        }

        @Test("D12, D30, D57: bluetoothd ends in good order, and what it had is not back when it is", .timeLimit(.minutes(2)))
        func ending() async throws {
            let central = try await RawCentral()
            let program = ServingProgram()
            let manager = try #require(program.manager)
            #expect(await program.next() == "state poweredOn")
            manager.add(Self.service("FF10"))
            #expect(await program.next() == "added FF10")
            manager.startAdvertising([CBAdvertisementDataLocalNameKey: "First"])
            #expect(await program.next() == "advertising true")
            Machine.signalBluetoothd(SIGTERM)
            // It takes its adapters off the bus before it goes.
            #expect(await program.calls(until: "state unsupported", "state resetting").last?.hasPrefix("state") == true)
            #expect(!manager.isAdvertising)
            Machine.startBluetoothd()
            #expect(await program.calls(until: "state poweredOn").last == "state poweredOn")
            #expect(try await central.hearsNothing())
            manager.add(Self.service("FF20"))
            #expect(await program.next() == "added FF20")
            manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Second"])
            #expect(await program.next() == "advertising true")
            #expect(try await central.scan().response.name == "Second")
            let services = try await central.connect()
            #expect(Set(services.map(\.uuid)).intersection(["FF10", "FF20"]) == ["FF20"])
        }

        /// One with a characteristic that can be read.
        static func service(_ uuid: String) -> CBMutableService {
            let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
            let value = CBMutableCharacteristic(type: CBUUID(string: "FF01"), properties: .read, value: Data([1]), permissions: .readable)
            service.characteristics = [value]
            return service
        }
    }
}
