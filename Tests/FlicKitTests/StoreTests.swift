import EventLoops
import FlicClient
import FlicKit
import FlicSimulator
import Foundation
import GATT
import Testing

@Suite("Store")
struct StoreTests {
    /// A directory that does not exist yet, and is gone afterwards.
    static func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    static func options(_ directory: URL) -> FLICOptions {
        var options = FLICOptions(trustingTestRoot: TestRoot.publicKey)
        options.storeDirectory = directory
        return options
    }

    static func mode(_ url: URL) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int)
    }

    /// What was paired in an earlier run of the program.
    static func records(_ edit: (Stage, FLICButton) async -> Void = { _, _ in }) async throws -> [ButtonRecord] {
        let store = MemoryStore()
        let (stage, button) = try await Stage.paired(store: store)
        await edit(stage, button)
        await stage.kill()
        return store.contents
    }

    @Test("A40, A41, A43, B.6.2: pairings lie in the directory that the options name, 0700, in a file of 0600, and are there in the next launch")
    func fileStore() async throws {
        try await Self.withDirectory { directory in
            let stage = await Stage(options: Self.options(directory))
            await stage.until { $0.manager.state == .poweredOn }
            await stage.button.enterPublicMode()
            stage.program.scan()
            await stage.pass(.seconds(5))
            await stage.until { $0.manager.buttons().first?.isReady == true }
            #expect(try Self.mode(directory) == 0o700)
            #expect(try Self.mode(directory.appending(path: "buttons.json")) == 0o600)
            let identifier = stage.manager.buttons().first?.identifier
            await stage.kill()

            let next = Stage(near: stage, store: MemoryStore(try await FileStore(directory: directory).load()))
            await next.settle()
            #expect(next.manager.buttons().map(\.identifier) == [identifier])
        }
    }

    @Test("A41, B25: a damaged file does not stop the start, and is set aside")
    func damagedFile() async throws {
        try await Self.withDirectory { directory in
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data("{ damaged".utf8).write(to: directory.appending(path: "buttons.json"))
            let stage = await Stage(options: Self.options(directory))
            await stage.until { $0.manager.state != .unknown }
            #expect(stage.program.take() == ["restored: unknown buttons=0", "state poweredOn: poweredOn"])
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(files.contains { $0.contains("damaged") })
            #expect(stage.program.takeComplaints().count == 1)
        }
    }

    @Test("B25, B38: without a place for a store there is a manager all the same, whose state is unsupported")
    func noPlace() async throws {
        var options = FLICOptions(trustingTestRoot: TestRoot.publicKey)
        options.applicationName = ".."
        let stage = await Stage(options: options)
        await stage.settle()
        #expect(stage.program.take() == ["restored: unknown buttons=0", "state unsupported: unsupported"])
        #expect(stage.program.takeComplaints().count == 1)
        stage.program.scan()
        await stage.settle()
        #expect(stage.program.take() == ["scan done scanner.bluetoothNotActivated isScanning=false"])
    }

    @Test("A42: with the store in use: unknown for up to 10 s; free by then, all is as usual")
    func inUseForAWhile() async throws {
        let store = ScriptedStore(try await Self.records(), isInUse: true)
        let stage = await Stage(store: store)
        await stage.pass(.seconds(8), step: .milliseconds(500))
        #expect(stage.program.take() == [])
        #expect(stage.manager.state == .unknown && stage.manager.buttons().isEmpty)
        store.isInUse = false
        await stage.pass(.seconds(1))
        let trace = stage.program.take()
        #expect(trace.first == "restored: unknown buttons=1")
        #expect(trace.last == "state poweredOn: poweredOn")
    }

    @Test(
        "A42: in use for longer: unsupported after 10 s, nothing is done, and why is logged once; when it is free, all goes on with the same objects"
    )
    func inUseForLong() async throws {
        let store = ScriptedStore(try await Self.records(), isInUse: true)
        let stage = await Stage(store: store)
        await stage.pass(.seconds(11), step: .milliseconds(500))
        let trace = stage.program.take()
        #expect(trace.first == "restored: unknown buttons=1")
        #expect(trace.last == "state unsupported: unsupported")
        let button = try #require(stage.manager.buttons().first)
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == [])
        #expect(stage.program.takeComplaints() == ["store: another process has it"])
        store.isInUse = false
        await stage.pass(.seconds(1))
        #expect(stage.program.take() == ["state poweredOn: poweredOn"])
        #expect(stage.manager.buttons() == [button] && button.state == .connecting)
    }

    @Test("A42: what the other process has changed meanwhile is taken over: settings, new buttons, forgotten ones")
    func changedMeanwhile() async throws {
        let before = try await Self.records()
        let store = ScriptedStore(before, isInUse: true)
        let stage = await Stage(store: store)
        await stage.pass(.seconds(11), step: .milliseconds(500))
        let button = try #require(stage.manager.buttons().first)

        let changed = try await Self.records { _, button in
            button.nickname = "Hall"
            button.triggerMode = .click
        }
        try await store.save(changed)
        store.isInUse = false
        await stage.pass(.seconds(1))
        #expect(stage.manager.buttons() == [button])
        #expect(button.nickname == "Hall" && button.triggerMode == .click)
    }

    @Test("B52: a latency that has come with a pairing from another program is shown as it is")
    func otherLatency() async throws {
        var records = try await Self.records()
        records[0].latency = .low
        let stage = await Stage(store: ScriptedStore(records))
        await stage.settle()
        #expect(stage.manager.buttons().map(\.latencyMode) == [.low])
    }

    @Test("A42: a button that the other process has forgotten is gone, and its object inert")
    func forgottenMeanwhile() async throws {
        let store = ScriptedStore(try await Self.records(), isInUse: true)
        let stage = await Stage(store: store)
        await stage.pass(.seconds(11), step: .milliseconds(500))
        let button = try #require(stage.manager.buttons().first)
        try await store.save([])
        store.isInUse = false
        await stage.pass(.seconds(1))
        #expect(stage.manager.buttons().isEmpty && button.state == .disconnected)
        _ = stage.program.take()
        button.connect()
        stage.program.forget(button)
        await stage.settle()
        #expect(stage.program.take() == ["forgot flic.alreadyForgotten same=true listed=false"])
    }

    @Test("B.6.2: pairing data are stored before the completion reports success")
    func storedBeforeTheCompletion() async throws {
        let store = MemoryStore()
        let stage = await Stage.launched(store: store)
        stage.program.onNext("scan done") { _ in stage.program.remark("stored \(store.contents.count)") }
        await stage.button.enterPublicMode()
        stage.program.scan()
        await stage.pass(.seconds(5))
        #expect(stage.program.take()[4] == "stored 1")
    }

    @Test("Pairings that the program imports by its hub are in the list, and their buttons connect")
    func imported() async throws {
        let (first, _) = try await Stage.paired()
        let archive = try await first.flic.exportPairingsInPlain()
        await first.kill()
        let stage = Stage(near: first)
        await stage.settle()
        _ = try await stage.flic.importPairings(archive, passphrase: nil)
        await stage.settle()
        let button = try #require(stage.manager.buttons().first)
        #expect(button.state == .connecting)
        _ = stage.program.take()
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        #expect(stage.program.take().first == "didConnect: connected" && button.isReady)
    }
}
