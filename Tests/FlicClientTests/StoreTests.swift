import FlicClient
import FlicProtocol
import FlicSimulator
import Foundation
import Synchronization
import Testing

@testable import FlicClient

@Suite("The store (contract A40-A42)")
struct StoreTests {
    @Test("A40 records survive; directory 0700, files 0600")
    func roundTrip() async throws {
        try await withDirectory { directory in
            let records = try await Self.records(3)
            let store = FileStore(directory: directory)
            try await store.lock()
            #expect(try await store.load() == [])
            try await store.save(records)
            try await store.save(records)
            #expect(try await store.load() == records)
            #expect(Self.mode(directory) == 0o700)
            for name in ["buttons.json", "buttons.json.old", "buttons.lock"] {
                #expect(Self.mode(directory.appending(path: name)) == 0o600, "\(name)")
            }
            #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "buttons.json.new").path))
        }
    }

    @Test("A41 a damaged file is set aside and the previous copy used", arguments: ["", "{", "{\"version\":1}", "{\"version\":1,\"buttons\":[{}]}"])
    func damaged(contents: String) async throws {
        try await withDirectory { directory in
            let records = try await Self.records(2)
            let remarks = Remarks()
            let store = FileStore(directory: directory) { remarks.note($0, $1) }
            try await store.lock()
            try await store.save([records[0]])
            try await store.save(records)
            try Data(contents.utf8).write(to: directory.appending(path: "buttons.json"))
            #expect(try await store.load() == [records[0]])
            #expect(remarks.problems.count == 2 && remarks.problems.allSatisfy { $0.contains("buttons.json") })
            #expect(try await store.load() == [records[0]], "the copy has taken the file's place")
            try await store.save(records)
            #expect(try await store.load() == records)
            let aside = try Data(contentsOf: directory.appending(path: "buttons.json.damaged"))
            #expect(String(decoding: aside, as: UTF8.self) == contents)
        }
    }

    @Test(
        "A41 one hostile value damages the file, not the process",
        arguments: [
            ("pairing", "\"00\""), ("pairing", "\"zz\""), ("uuid", "\"1\""), ("address", "\"80:E4\""), ("addressType", "7"), ("eventCount", "-1"),
            ("eventCount", "4294967296"), ("firmwareVersion", "\"x\""), ("triggerMode", "99"),
        ]
    )
    func hostile(member: String, value: String) async throws {
        try await withDirectory { directory in
            let store = FileStore(directory: directory) { _, _ in }
            try await store.lock()
            try await store.save(try await Self.records(1))
            let file = directory.appending(path: "buttons.json")
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            let lines = text.split(separator: "\n").map { line in
                line.contains("\"\(member)\" :") ? "\"\(member)\" : \(value)" + (line.hasSuffix(",") ? "," : "") : String(line)
            }
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            let records = try await store.load()
            #expect(records.count == (member == "triggerMode" ? 1 : 0))
            for record in records { _ = ButtonConnection(record: record, root: [], settings: .init()) }
        }
    }

    @Test("A41 a file by a newer version is refused and left alone")
    func newerVersion() async throws {
        try await withDirectory { directory in
            let store = FileStore(directory: directory)
            try await store.lock()
            let file = directory.appending(path: "buttons.json")
            try Data("{\"version\":2}".utf8).write(to: file)
            let error = await #expect(throws: PairingStoreError.self) { try await store.load() }
            #expect(error?.code == .newerVersion)

            let flic = Flic(FlicConfiguration(central: AbsentCentral(), store: store).quiet)
            await flic.start()
            #expect(await flic.buttons.isEmpty)
            await flic.stop()
            #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self) == "{\"version\":2}")
        }
    }

    @Test("A42 a second user of the store is refused until the first has given it back, or is gone", arguments: [true, false])
    func lock(isGivenBack: Bool) async throws {
        try await withDirectory { directory in
            var first: FileStore? = FileStore(directory: directory)
            try await first?.lock()
            try await first?.lock()
            let second = FileStore(directory: directory)
            let error = await #expect(throws: PairingStoreError.self) { try await second.lock() }
            #expect(error?.code == .inUse)
            #expect(try await second.load() == [])
            await #expect(throws: PairingStoreError.self) { try await second.save([]) }
            // As a process that is started at this moment has it, before it becomes another program.
            let copies = Self.openFiles(named: directory.appending(path: "buttons.lock").path).map { dup($0) }
            defer { for copy in copies { close(copy) } }
            #expect(!copies.isEmpty)
            if isGivenBack { await first?.unlock() } else { first = nil }
            try await second.lock()
            withExtendedLifetime(first) {}
        }
    }

    @Test("A42 an application whose store is held: unknown for 10 s, then unsupported; goes on when it is free")
    func heldStore() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await scene.flic.stop()
            let store = FailingStore()
            store.records.withLock { $0 = scene.store.contents }
            store.isHeldElsewhere.withLock { $0 = true }
            let remarks = Remarks()
            var configuration = FlicConfiguration(
                central: SimulatedCentral(air: scene.air),
                store: store,
                trustingTestRoot: TestRoot.publicKey
            )
            configuration.log = { remarks.note($0, $1) }
            let flic = Flic(configuration)
            let trace = Trace()
            await trace.follow(flic)
            await flic.begin()
            await scene.pass(.milliseconds(9900))
            #expect(trace.take() == [])
            await scene.pass(.seconds(30))
            #expect(trace.take() == ["restored 1", "state unsupported(GATT.CentralState.UnsupportedReason.missing)"])
            #expect(remarks.problems.count == 1)
            #expect(store.saves.withLock { $0 } == 0)
            await scene.button.click()
            store.isHeldElsewhere.withLock { $0 = false }
            await scene.pass(.seconds(5))
            #expect(trace.take().prefix(4) == ["changed 1", "state poweredOn", "connected, connected", "ready, connected"])
            #expect(await flic.buttons.map(\.identifier) == [button.identifier])
        }
    }

    @Test("A40 the directory of an application", arguments: ["", ".", "..", "/", "\0"])
    func hostileNames(name: String) {
        #expect(throws: PairingStoreError.self) { try FileStore.defaultDirectory(application: name) }
    }

    @Test("The pairing key appears in no description")
    func secrets() async throws {
        let record = try #require(try await Self.records(1).first)
        let key = record.pairing.bytes.withBytes { Hexadecimal.text($0) }
        var dumped = ""
        dump(record, to: &dumped)
        for text in ["\(record)", String(reflecting: record), dumped] {
            #expect(!text.contains(key) && !text.contains(key.suffix(32)))
        }
    }

    // MARK: Material

    /// Records as a real pairing makes them.
    static func records(_ count: Int) async throws -> [ButtonRecord] {
        var records: [ButtonRecord] = []
        for seed in 1...count {
            let made = try await Scene.run(seed: UInt64(seed)) { scene in
                let button = try await scene.pair()
                await button.setNickname("Button \(seed)")
                await scene.pass(.seconds(1))
                return scene.store.contents
            }
            records += made
        }
        return records
    }

    /// Descriptors of this process that mean a file.
    private static func openFiles(named path: String) -> [Int32] {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        return (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.compactMap(Int32.init).filter { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) == resolved
        } ?? []
    }

    private static func mode(_ url: URL) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.posixPermissions] as? Int
    }

    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID())/state", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: directory.deletingLastPathComponent()) }
        try await body(directory)
    }
}

extension FlicConfiguration {
    /// Without remarks on standard error.
    fileprivate var quiet: FlicConfiguration {
        var configuration = self
        configuration.log = { _, _ in }
        return configuration
    }
}
