import EventLoops
import FlicSimulator
import Foundation
import Synchronization
import Testing

@testable import FlicClient

@Suite("Exporting and importing pairings")
struct ImportTests {
    @Test("On another machine the button connects without being held down, and tells each press once", arguments: [nil, "correct horse"])
    func anotherMachine(passphrase: String?) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await button.setNickname("Hall")
            await button.setClickRules(.custom(.click, limits: .init(hold: 40_000)))
            await button.setLatency(.low)
            await scene.pass(.seconds(40))  // public mode is over
            await scene.button.click()
            await scene.pass(.seconds(1))
            let exported = try await scene.flic.exportPairingsInPlain()
            let records = try await PairingArchive.records(in: exported, passphrase: nil)
            let archive = try await ArchiveTests.archive(records, passphrase)
            await scene.flic.stop()
            await scene.pass(.seconds(10))
            await scene.button.click()

            let (flic, store, trace) = await Self.application(on: scene, machine: "other")
            let result = try await flic.importPairings(archive, passphrase: passphrase)
            let imported = try #require(result.added.first)
            #expect(result.added.count == 1 && result.passedOver.isEmpty)
            #expect(await flic.buttons.first === imported)
            #expect(store.contents.map(\.identifier) == [imported.identifier], "it is stored by then")
            #expect(imported.identifier != button.identifier && imported.info.nickname == "Hall")
            #expect(imported.info.clickRules == .custom(.click, limits: .init(hold: 40_000)) && imported.info.latency == .low)
            await scene.pass(.seconds(40))
            for _ in 0..<2 {
                await scene.button.click()
                await scene.pass(.seconds(2))
            }
            let told = trace.take()
            #expect(told.prefix(3) == ["changed 1", "connected, connected", "ready, connected"])
            let clicks = told.filter { $0.hasPrefix("click") }
            #expect(clicks.count == 3 && clicks.first?.hasPrefix("click queued") == true && clicks.last == "click")
            #expect(await scene.button.pairingCount == 1)
            #expect(await !scene.button.isPublic)
        }
    }

    @Test("A key of the standard cost is derived beside the loop, which goes on")
    func besideTheLoop() async throws {
        try await Scene.run { scene in
            _ = try await scene.pair()
            let hasEnded = Atomic(false)
            async let export = {
                let archive = try await scene.flic.exportPairings(passphrase: "correct horse")
                hasEnded.store(true, ordering: .relaxed)
                return archive
            }()
            var turns = 0
            while !hasEnded.load(ordering: .relaxed) {
                await scene.pass(.milliseconds(1))
                turns += 1
            }
            #expect(turns > 10)
            let archive = try await export
            await scene.flic.stop()
            let (flic, _, _) = await Self.application(on: scene)
            #expect(try await flic.importPairings(archive, passphrase: "correct horse").added.count == 1)
        }
    }

    @Test("A wish not to be connected, and a void pairing, come along")
    func wishes() async throws {
        var void = try await StoreMaterial.records(2)[1]
        void.isUnpaired = true
        try await Scene.run { [void] scene in
            let button = try await scene.pair()
            await button.disconnect()
            await scene.pass(.seconds(40))
            let (flic, store, _) = await Self.application(on: scene)
            let archive = PairingArchive.plain(scene.store.contents + [void])
            let imported = try await flic.importPairings(archive, passphrase: nil).added
            await scene.button.click()
            await scene.pass(.seconds(5))
            #expect(imported.map(\.info.state) == [.disconnected, .disconnected] && imported.map(\.info.isUnpaired) == [false, true])
            #expect(store.contents.map(\.wantsConnection) == [false, true])
            await imported[0].connect()
            await scene.pass(.seconds(5))
            #expect(imported[0].info.isReady)
        }
    }

    @Test("A button with a valid pairing is passed over, whatever the import has; it keeps its identifier", arguments: [true, false])
    func passedOver(isImportVoid: Bool) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(2))
            _ = scene.trace.take()
            let before = scene.store.contents
            var record = before[0]
            record.isUnpaired = isImportVoid
            record.nickname = "Other"
            record.identifier = UUID()
            let result = try await scene.flic.importPairings(PairingArchive.plain([record]), passphrase: nil)
            #expect(result.added.isEmpty && result.passedOver.count == 1 && result.passedOver.first === button)
            await scene.pass(.seconds(1))
            // Reading takes place elsewhere, and the clock may have moved meanwhile: the battery may have been asked for.
            let after = scene.store.contents
            #expect(after.map(\.identifier) == before.map(\.identifier) && after.map(\.pairing) == before.map(\.pairing))
            #expect(after.map(\.nickname) == before.map(\.nickname) && after.map(\.isUnpaired) == [false] && button.info.isReady)
            #expect(!scene.trace.take().contains { $0.hasPrefix("changed") || $0.hasPrefix("connected") })
        }
    }

    @Test("A void pairing is replaced by a valid one, as if the button were paired anew; not by a void one", arguments: [true, false])
    func unpaired(isImportVoid: Bool) async throws {
        try await Scene.run { scene in
            _ = try await scene.pair()
            await scene.flic.stop()
            await scene.pass(.seconds(40))
            let valid = scene.store.contents
            var void = valid[0]
            void.isUnpaired = true
            let (flic, store, trace) = await Self.application(on: scene, records: [void])
            let old = try #require(await flic.buttons.first)
            _ = trace.take()
            let result = try await flic.importPairings(PairingArchive.plain(isImportVoid ? [void] : valid), passphrase: nil)
            #expect(result.added.count == (isImportVoid ? 0 : 1) && result.passedOver.count == (isImportVoid ? 1 : 0))
            await scene.button.click()
            await scene.pass(.seconds(2))
            let buttons = await flic.buttons
            #expect(buttons.map(\.identifier) == [old.identifier])
            #expect((buttons.first === old) == isImportVoid && buttons.first?.info.isReady == !isImportVoid)
            #expect(store.contents.map(\.isUnpaired) == [isImportVoid])
            #expect(trace.take().prefix(2) == (isImportVoid ? [] : ["changed 1", "connected, connected"]))
        }
    }

    @Test("If the store fails, nothing has changed; later it works", arguments: [true, false])
    func storeFails(hasVoid: Bool) async throws {
        let valid = try await StoreMaterial.records(1)
        let store = FailingStore()
        if hasVoid {
            var void = valid[0]
            void.isUnpaired = true
            store.records.withLock { $0 = [void] }
        }
        let before = store.records.withLock { $0 }
        try await Scene.run { scene in
            let flic = Scene.application(on: scene.air, store: store)
            let trace = Trace()
            await trace.follow(flic)
            await flic.start()
            let buttons = await flic.buttons
            await scene.pass(.seconds(1))
            _ = trace.take()
            store.fails.withLock { $0 = true }
            await #expect(throws: FlicError(.storeFailed)) { try await flic.importPairings(PairingArchive.plain(valid), passphrase: nil) }
            await scene.pass(.seconds(5))
            #expect(await flic.buttons.elementsEqual(buttons) { $0 === $1 })
            #expect(buttons.map(\.info.isUnpaired) == before.map(\.isUnpaired))
            #expect(store.records.withLock { $0 } == before && trace.take() == [])
            store.fails.withLock { $0 = false }
            let result = try await flic.importPairings(PairingArchive.plain(valid), passphrase: nil)
            #expect(result.added.count == 1)
            #expect(store.records.withLock { $0.map(\.isUnpaired) } == [false])
        }
    }

    @Test("A write that follows upon a failed one does not bring the import back")
    func writeAfterFailure() async throws {
        let imported = try await StoreMaterial.records(2)
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.flic.stop()
            await scene.air.setInRange(false, scene.button.address)  // so that nothing else is written
            let store = SlowStore(loop: scene.loop, records: scene.store.contents)
            let flic = Scene.application(on: scene.air, store: store)
            await flic.start()
            store.failures.withLock { $0 = 1 }
            let result = Task(executorPreference: scene.loop) {
                try await flic.importPairings(PairingArchive.plain([imported[1]]), passphrase: nil).added.count
            }
            while store.saves.withLock({ $0 }) == 0 { await scene.pass(.milliseconds(1)) }
            await flic.buttons.first?.setClickRules(.standard(.click))  // is written next
            await #expect(throws: FlicError(.storeFailed)) { try await result.value }
            await scene.pass(.seconds(10))
            #expect(store.records.withLock { $0 }.map(\.serialNumber) == [button.info.serialNumber])
            #expect(store.records.withLock { $0 }.map(\.clickRules) == [.standard(.click)])
        }
    }

    /// A store that takes a second for a write.
    private final class SlowStore: PairingStore {
        let records: Mutex<[ButtonRecord]>
        /// How many of the next writes fail.
        let failures = Mutex(0)
        /// Writes that have begun.
        let saves = Mutex(0)
        private let loop: any EventLoop

        init(loop: any EventLoop, records: [ButtonRecord]) {
            self.loop = loop
            self.records = Mutex(records)
        }

        func lock() async throws(PairingStoreError) {}

        func load() async throws(PairingStoreError) -> [ButtonRecord] { records.withLock { $0 } }

        func save(_ records: [ButtonRecord]) async throws(PairingStoreError) {
            saves.withLock { $0 += 1 }
            await loop.pause(for: .seconds(1))
            let fails = failures.withLock { failures in
                defer { failures = max(0, failures - 1) }
                return failures > 0
            }
            if fails { throw PairingStoreError(.failed, "disk full") }
            self.records.withLock { $0 = records }
        }
    }

    @Test("What cannot be read changes nothing")
    func damaged() async throws {
        let archive = try await ArchiveTests.archive(try await StoreMaterial.records(2), "correct horse")
        try await Scene.run { scene in
            for (data, passphrase) in [(archive, "wrong"), (archive, nil), (archive.dropLast(), "correct horse"), (Data(), nil)] {
                await #expect(throws: PairingArchiveError.self) { try await scene.flic.importPairings(data, passphrase: passphrase) }
            }
            #expect(await scene.flic.buttons.isEmpty && scene.store.contents.isEmpty)
        }
    }

    @Test("Two imports at the same time add each button once")
    func atTheSameTime() async throws {
        let records = try await StoreMaterial.records(3)
        try await Scene.run { scene in
            async let one = scene.flic.importPairings(PairingArchive.plain(Array(records[0...1])), passphrase: nil)
            async let two = scene.flic.importPairings(PairingArchive.plain(Array(records[1...2])), passphrase: nil)
            let results = try await [one, two]
            #expect(results.map(\.added.count).sorted() == [1, 2] && results.map(\.passedOver.count).sorted() == [0, 1])
            let serialNumbers = Set(records.map(\.serialNumber))
            #expect(await scene.flic.buttons.count == 3 && scene.store.contents.count == 3)
            #expect(Set(scene.store.contents.map(\.serialNumber)) == serialNumbers)
        }
    }

    @Test("Some buttons can be exported; one that is forgotten cannot")
    func some() async throws {
        let records = try await StoreMaterial.records(3)
        try await Scene.run { scene in
            _ = try await scene.flic.importPairings(PairingArchive.plain(records), passphrase: nil)
            let buttons = await scene.flic.buttons
            func serialNumbers(of buttons: [FlicButton]) async throws -> [String] {
                let data = try await scene.flic.exportPairingsInPlain(of: buttons)
                return try await PairingArchive.records(in: data, passphrase: nil).map(\.serialNumber)
            }
            let some = try await serialNumbers(of: [buttons[2], buttons[0], buttons[2]])
            #expect(some == [records[0].serialNumber, records[2].serialNumber])
            let none = try await serialNumbers(of: [])
            #expect(none.isEmpty)
            try await scene.flic.forget(buttons[1])
            await #expect(throws: FlicError(.alreadyForgotten)) { try await scene.flic.exportPairingsInPlain(of: buttons) }
            #expect(try await PairingArchive.records(in: try await scene.flic.exportPairingsInPlain(), passphrase: nil).count == 2)
        }
    }

    @Test("A hub that has been stopped imports nothing")
    func stopped() async throws {
        let archive = PairingArchive.plain(try await StoreMaterial.records(1))
        try await Scene.run { scene in
            await scene.flic.stop()
            await #expect(throws: FlicError(.cancelled)) { try await scene.flic.importPairings(archive, passphrase: nil) }
            #expect(scene.store.contents.isEmpty)
        }
    }

    @Test("A hub whose store cannot be read exports nothing: that would be no backup")
    func noStore() async throws {
        let store = FailingStore()
        store.isHeldElsewhere.withLock { $0 = true }
        try await Scene.run { scene in
            var configuration = FlicConfiguration(central: SimulatedCentral(air: scene.air), store: store)
            configuration.log = { _, _ in }
            let flic = Flic(configuration)
            await #expect(throws: FlicError(.storeFailed)) { try await flic.exportPairingsInPlain() }
        }
    }

    /// Another application near the button.
    private static func application(
        on scene: Scene,
        machine: String = "machine",
        records: [ButtonRecord] = []
    ) async -> (Flic, MemoryStore, Trace) {
        let store = MemoryStore(records)
        let flic = Scene.application(on: scene.air, store: store, machine: machine)
        let trace = Trace()
        await trace.follow(flic)
        await flic.start()
        await scene.pass(.milliseconds(10))
        _ = trace.take()
        return (flic, store, trace)
    }
}
