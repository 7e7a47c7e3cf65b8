import GATT
import Testing

@testable import CoreBluetooth

@Suite("What a program had published and advertised, in its next run (contract D120)")
final class RestorationTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "flickit-restoration-\(UUID())")
    private static var options: [String: Any] {
        [CBPeripheralManagerOptionRestoreIdentifierKey: "desk/1", CBPeripheralManagerOptionShowPowerAlertKey: true]
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func run(_ state: CentralState? = .poweredOn) async -> Stage { await Stage(state, options: Self.options, directory: directory) }

    private var file: URL { directory.appending(path: "peripheral-desk%2F1.json") }

    /// A run that publishes an included service, one that includes it, and advertises.
    private func firstRun() async {
        let stage = await run()
        let helper = CBMutableService(type: CBUUID(string: "FF10"), primary: false)
        let level = CBMutableCharacteristic(type: CBUUID(string: "2A19"), properties: .read, value: Data([87]), permissions: .readable)
        level.descriptors = [CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Level")]
        helper.characteristics = [level]
        let sensor = Sensor()
        sensor.service.includedServices = [helper]
        stage.manager.add(helper)
        stage.manager.add(sensor.service)
        await stage.settle()
        stage.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Desk", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180F")]])
        #expect(await stage.heard() == ["state poweredOn", "added FF10", "added 180F", "advertising true"])
        await stage.manager.restoration?.settle()
    }

    @Test("It is told first, published and advertised without being asked, and its objects work")
    func restored() async throws {
        await firstRun()
        let stage = await run(nil)
        #expect(await stage.heard() == [#"restore ["FF10", "180F"] Desk"#])
        await stage.tell(.state(.poweredOn))
        #expect(await stage.heard() == ["state poweredOn"])
        let services = try #require(await stage.transport.services.last)
        #expect(services.map(\.uuid.short) == ["0000ff10", "0000180f"] && services[1].includes == [0] && !services[0].isPrimary)
        #expect(services[0].characteristics[0].value == [87])
        #expect(services[0].characteristics[0].descriptors.first?.value == Array("Level".utf8))
        #expect(await stage.transport.advertised.values.first?.name == "Desk")
        #expect(stage.manager.isAdvertising)
        let note = try #require(await stage.transport.name("FF01"))
        await stage.ask(1) { .read($0, note, offset: 0, Stage.phone) }
        #expect(await stage.heard() == ["read FF01 at 0"])
    }

    @Test("What was taken back is not restored")
    func takenBack() async {
        await firstRun()
        let stage = await run()
        stage.manager.removeAllServices()
        stage.manager.stopAdvertising()
        await stage.settle()
        await stage.manager.restoration?.settle()
        let next = await run()
        #expect(await next.heard() == ["restore [] -", "state poweredOn"])
        #expect(await next.transport.journal == [])
    }

    @Test("Without an identifier, or without a directory, nothing is kept and nothing told")
    func off() async {
        await firstRun()
        let stages = [await Stage(.poweredOn, directory: directory), await Stage(.poweredOn, options: Self.options)]
        for stage in stages {
            #expect(await stage.heard() == ["state poweredOn"])
            #expect(stage.manager.restoration == nil)
        }
    }

    @Test(
        "A damaged file is set aside and said so",
        arguments: [
            "", "{", "[]", #"{"services":[{"uuid":"x","isPrimary":true,"includes":[],"characteristics":[]}]}"#,
            #"{"services":[{"uuid":"180F","isPrimary":true,"includes":[0],"characteristics":[]}]}"#,
            #"{"services":[{"uuid":"180F","isPrimary":true,"includes":[-1],"characteristics":[]}]}"#,
            #"{"services":[],"advertisement":{"services":["18"]}}"#,
            String(repeating: " ", count: 1 << 20) + "{\"services\":[]}",
        ]
    )
    func damaged(text: String) async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        let stage = await run()
        #expect(await stage.heard() == ["state poweredOn"])
        #expect(stage.log.take().count == 1)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
    }

    @Test("What is in the file is believed no more than a program's own services")
    func absurd() async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let text =
            #"{"services":[{"uuid":"1800","isPrimary":true,"includes":[],"characteristics":[{"uuid":"FF01","properties":18446744073709551615,"permissions":0,"descriptors":[]}]}]}"#
        try Data(text.utf8).write(to: file)
        let stage = await run()
        #expect(await stage.heard() == [#"restore ["1800"] -"#, "state poweredOn"])
        #expect(await stage.transport.journal == [])
    }

    @Test(
        "Identifiers that cannot be names of files are refused",
        arguments: ["", String(repeating: "a", count: 201), String(repeating: "ü", count: 100)]
    )
    func names(identifier: String) async {
        let options: [String: Any] = [CBPeripheralManagerOptionRestoreIdentifierKey: identifier]
        let stage = await Stage(.poweredOn, options: options, directory: directory)
        #expect(stage.manager.restoration == nil)
        #expect(stage.log.take().count == 1)
    }
}
