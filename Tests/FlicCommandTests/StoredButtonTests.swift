import FlicBridge
import FlicClient
import FlicSimulator
import FoundationEssentials
import Glibc
import Testing

@testable import flic

@Suite("flic list, flic forget, and how buttons are named")
struct StoredButtonTests {
    @Test("list: a row for each button")
    func list() async throws {
        try await Stage.play { stage in
            await stage.button.setName("Hall")
            await stage.pair()
            let other = await stage.pairAnother(seed: 2)
            let run = await stage.run("list")
            #expect(run.code == .done)
            #expect(
                run.results == [
                    "Hall  \(stage.button.identity.serialNumber)  \(stage.button.address)  firmware 10  3.0 V",
                    "-     \(other.identity.serialNumber)  \(other.address)  firmware 10  3.0 V",
                ]
            )
        }
    }

    @Test("list: one JSON document, empty or not")
    func json() async throws {
        try await Stage.play { stage in
            #expect(await stage.run("list", "--json").results == ["[]"])
            await stage.pair()
            let lines = await stage.run("list", "--json").results
            #expect(lines.count == 1)
            let buttons = try JSONDecoder().decode([Object].self, from: Data(lines.joined().utf8))
            #expect(
                buttons.map(\.names) == [
                    [
                        "button", "advertisedName", "address", "uuid", "identifier", "firmware", "volts", "batteryPercent", "batteryLow",
                        "batteryDate", "unpaired", "mode", "doubleClickTime", "holdTime", "tripleClick", "latency", "queue",
                    ]
                ]
            )
            #expect(buttons.first?.texts["uuid"]?.count == 32)
        }
    }

    @Test("list: a low battery, and one that is not known")
    func battery() async throws {
        try await Stage.play { stage in
            await stage.button.setBattery(volts: 2.5)
            await stage.pair()
            #expect(await stage.run("list").results.first?.hasSuffix("  2.5 V, low") == true)
            let line = try #require(await stage.run("list", "--json").results.first)
            let facts = try #require(try JSONDecoder().decode([Object].self, from: Data(line.utf8)).first)
            #expect(facts.numbers["volts"] == 2.5 && facts.numbers["batteryPercent"] == 9 && facts.flags["batteryLow"] == true)
            #expect(facts.texts["batteryDate"]?.wholeMatch(of: /2026-01-01T00:00:0\dZ/) != nil)

            var record = try #require(stage.store.contents.first)
            record.batteryLevel = nil
            try await stage.store.save([record])
            #expect(await stage.run("list").results.first?.hasSuffix("  -") == true)
            let unknown = try #require(await stage.run("list", "--json").results.first)
            let names = try JSONDecoder().decode([Object].self, from: Data(unknown.utf8)).first?.names
            #expect(names?.isDisjoint(with: ["volts", "batteryPercent", "batteryLow", "batteryDate"]) == true)
        }
    }

    @Test("list needs no Bluetooth")
    func withoutBluetooth() async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.air.setState(.unsupported(.missing))
            #expect(await stage.run("list").code == .done)
        }
    }

    @Test("forget: the button is gone from the store, the others stay")
    func forget() async throws {
        try await Stage.play { stage in
            await stage.button.setName("Hall")
            await stage.pair()
            let other = await stage.pairAnother(seed: 2)
            let run = await stage.run("forget", "hall")
            #expect(run.code == .done && run.results == ["Forgotten: Hall"])
            #expect(stage.store.contents.map(\.serialNumber) == [other.identity.serialNumber])
            let again = await stage.run("forget", "hall", "--json")
            #expect(again.code == .notPaired)
            let laterObjects = try again.objects
            #expect(laterObjects.map { $0.texts["reason"] } == ["unknownButton"])
            let last = try await stage.run("forget", other.address.description, "--json").printed.objects
            #expect(last.map(\.event) == ["forgotten"] && last.first?.texts["button"] == other.identity.serialNumber)
            #expect(stage.store.contents.isEmpty)
        }
    }

    @Test("A button goes by its name, serial number, address, uuid or identifier, or by how one of these begins")
    func choice() async throws {
        try await Stage.play { stage in
            await stage.button.setName("Hall")
            await stage.pair()
            let other = await stage.pairAnother(seed: 2)
            let record = try #require(stage.store.contents.first)
            let names = [
                "Hall", "hALL", "ha", record.serialNumber, record.address.description, record.address.description.lowercased(), record.uuid,
                record.identifier.uuidString, String(record.uuid.prefix(8)),
            ]
            let choice = ButtonChoice(buttons: try await invocation(stage).buttons(in: stage.store.contents))
            for name in names { #expect(try choice.button(name).serialNumber == record.serialNumber, "\(name)") }
            for name in ["", "hallway", "all"] { #expect(throws: ButtonChoice.Problem.unknown(name)) { try choice.button(name) } }
            // Both serial numbers begin alike.
            let problem = try #require(throws: ButtonChoice.Problem.self) { try choice.button("BC00-A") }
            let failure = Failure(problem)
            #expect(failure.code == .usage && failure.message.contains(record.serialNumber) && failure.message.contains(other.identity.serialNumber))
        }
    }

    @Test("A whole name wins over one that begins with it; two alike are ambiguous")
    func alike() async throws {
        try await Stage.play { stage in
            await stage.button.setName("Hall")
            await stage.pair()
            let other = await stage.pairAnother(seed: 2)
            var records = stage.store.contents
            records[1].nickname = "Hallway"
            let choice = ButtonChoice(buttons: try await invocation(stage).buttons(in: records))
            #expect(try choice.button("hall").serialNumber == stage.button.identity.serialNumber)
            #expect(try choice.button("hallw").serialNumber == other.identity.serialNumber)
            records[1].nickname = "hall"
            let twins = ButtonChoice(buttons: try await invocation(stage).buttons(in: records))
            #expect(throws: ButtonChoice.Problem.self) { try twins.button("Hall") }
        }
    }

    private func invocation(_ stage: Stage) throws -> Invocation {
        Invocation(arguments: try FlicProgram.table.parse(["list"]), context: stage.context(Printed()))
    }

    // MARK: Files

    /// Runs the program with a store in a new directory.
    private func withDirectory(_ body: (URL, ProgramContext, Printed) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "flic-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let printed = Printed()
        var context = ProgramContext.system
        context.interrupts = { AsyncStream { _ in } }
        context.loop = DispatchLoop()
        context.output = printed.output
        try await body(directory, context, printed)
    }

    @Test("While another process has the store, list reads it; pair, listen and forget say so")
    func inUse() async throws {
        let records = try await Stage.play { stage in
            await stage.pair()
            return stage.store.contents
        }
        try await withDirectory { directory, context, printed in
            let owner = FileStore(directory: directory)
            try await owner.lock()
            try await owner.save(records)
            #expect(await FlicProgram.run(["list", "--store", directory.path], in: context) == .done)
            #expect(printed.results.count == 1)
            for arguments in [["pair"], ["listen"], ["forget", "BC"]] {
                #expect(await FlicProgram.run(arguments + ["--store", directory.path], in: context) == .failed)
                #expect(printed.errors.last?.contains("in use by another process") == true)
            }
            #expect(try await owner.load() == records)
        }
    }

    @Test("A store that may not be used is permission denied", .enabled(if: getuid() != 0))
    func denied() async throws {
        try await withDirectory { directory, context, _ in
            chmod(directory.path, 0o500)
            #expect(await FlicProgram.run(["forget", "BC", "--store", directory.path], in: context) == .denied)
        }
    }

    @Test("A store by a newer version is told as such, and left alone")
    func newer() async throws {
        try await withDirectory { directory, context, printed in
            let file = directory.appending(path: "buttons.json")
            let contents = Data(#"{"version": 1000, "buttons": []}"#.utf8)
            try contents.write(to: file)
            for command in ["list", "listen", "pair"] {
                #expect(await FlicProgram.run([command, "--store", directory.path], in: context) == .failed)
                #expect(printed.errors.last?.contains("newer version") == true)
            }
            #expect(try Data(contentsOf: file) == contents)
        }
    }
}
