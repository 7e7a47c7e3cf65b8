import Fixtures
import FlicClient
import FlicProtocol
import Foundation
import Synchronization
import Testing

@testable import FlicClient

@Suite("D8: a store whose writer is killed, or whose files are cut short")
struct StoreKillTests {
    /// What a writer does, and what it may leave behind.
    enum Work: CaseIterable {
        case firstSave, save, saveAfterKeeping, firstKeep, keep, keepAfterSaving, saveAfterDamage
    }

    /// Ends the world at one of the system calls.
    private final class Killer: Sendable {
        private let left: Mutex<Int?>
        private let names = Mutex<[String]>([])
        let isArmed = Mutex(false)

        init(at call: Int) { left = Mutex(call) }

        var calls: [String] { names.withLock { $0 } }
        var hasKilled: Bool { left.withLock { $0 == 0 } }

        /// From the fatal call on nothing happens any more.
        func failure(_ name: String) -> Int32? {
            guard isArmed.withLock({ $0 }) else { return nil }
            names.withLock { $0.append(name) }
            return left.withLock { left in
                guard let count = left, count > 0 else { return EIO }
                left = count - 1
                return count == 1 ? EIO : nil
            }
        }
    }

    @Test("Killed at every system call: the old records or the new ones, never less and never a mix", arguments: Work.allCases)
    func killed(work: Work) async throws {
        let (old, new) = try await Self.states()
        var call = 1
        var hasKilled = true
        while hasKilled {
            try await StoreMaterial.withDirectory { directory in
                let killer = Killer(at: call)
                var calls = SystemCalls()
                calls.failure = killer.failure
                calls.largestWrite = 100  // so that files are left half written
                let victim = FileStore(directory: directory, calls: calls) { _, _ in }
                try await victim.lock()
                let before = try await Self.prepare(work, old, victim, directory)
                killer.isArmed.withLock { $0 = true }
                let after = try? await Self.perform(work, new, victim)
                hasKilled = killer.hasKilled
                await victim.unlock()

                let survivor = FileStore(directory: directory) { _, _ in }
                try await survivor.lock()
                let loaded = try await survivor.load()
                let place = "at call \(call): \(killer.calls.joined(separator: " "))"
                if let after {
                    #expect(loaded == after, "\(place)")
                } else {
                    #expect(loaded == before || loaded == Self.outcome(work, new, before), "\(place)")
                }
                // Whatever was left lying about is in nobody's way.
                try await survivor.keep(loaded)
                try await survivor.save(new)
                #expect(try await FileStore(directory: directory) { _, _ in }.load() == new, "\(place)")
            }
            call += 1
        }
        #expect(call > (work == .firstKeep || work == .keep || work == .keepAfterSaving ? 3 : 20))
    }

    @Test("Killed at every system call: keys are in files that only their owner reads, and the next process removes what is none of the store's")
    func secrets() async throws {
        let (old, new) = try await Self.states()
        let keys = (old + new).map { $0.pairing.key.withBytes { Array($0) } }
        var call = 1
        var hasKilled = true
        var leftBehind = 0
        while hasKilled {
            try await StoreMaterial.withDirectory { directory in
                let killer = Killer(at: call)
                var calls = SystemCalls()
                calls.failure = killer.failure
                calls.largestWrite = 100
                let victim = FileStore(directory: directory, calls: calls) { _, _ in }
                try await victim.lock()
                try await victim.save(old)
                try await victim.keep(old)
                killer.isArmed.withLock { $0 = true }
                _ = try? await victim.save(new)
                hasKilled = killer.hasKilled
                await victim.unlock()
                let secretive = try Self.filesWithKeys(keys, in: directory)
                #expect(secretive.subtracting(["buttons.json", "buttons.json.old", "buttons.json.new"]) == [], "at call \(call)")
                if secretive.contains("buttons.json.new") { leftBehind += 1 }
                let survivor = FileStore(directory: directory) { _, _ in }
                try await survivor.lock()
                #expect(try Self.filesWithKeys(keys, in: directory).subtracting(["buttons.json", "buttons.json.old"]) == [], "at call \(call)")
            }
            call += 1
        }
        #expect(leftBehind > 10)
    }

    /// The names of files in which there is one of the keys. Nobody else may read them.
    private static func filesWithKeys(_ keys: [[UInt8]], in directory: URL) throws -> Set<String> {
        var names: Set<String> = []
        #expect(try mode(of: directory.path) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let path = directory.appending(path: name)
            let bytes = try Data(contentsOf: path)
            guard keys.contains(where: { SecretSearch.find($0, in: bytes) != [] }) else { continue }
            names.insert(name)
            #expect(try mode(of: path.path) == 0o600, "\(name)")
        }
        return names
    }

    private static func mode(of path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    /// Three buttons, and the same with other names and positions.
    private static func states() async throws -> (old: [ButtonRecord], new: [ButtonRecord]) {
        let old = try await StoreMaterial.records(3)
        let new = old.enumerated().map { index, record in
            var record = record
            record.nickname = "new \(index)"
            record.position = EventPosition(bootID: record.bootID, eventCount: record.eventCount + 100)
            return record
        }
        return (old, new)
    }

    /// Brings the store into the state in which the work begins.
    ///
    /// - Returns: What it holds then.
    private static func prepare(_ work: Work, _ old: [ButtonRecord], _ store: FileStore, _ directory: URL) async throws -> [ButtonRecord] {
        switch work {
        case .firstSave: return []
        case .save, .firstKeep:
            try await store.save(old)
        case .saveAfterKeeping, .keep:
            try await store.save(old)
            for step in 1...3 { try await store.keep(advanced(old, by: step)) }
            return advanced(old, by: 3)
        case .keepAfterSaving:
            try await store.keep(advanced(old, by: 50))
            try await store.save(old)
        case .saveAfterDamage:
            try await store.save(old)
            try await store.save(old)
            try Data("{".utf8).write(to: directory.appending(path: "buttons.json"))
            return try await store.load()
        }
        return old
    }

    private static func perform(_ work: Work, _ new: [ButtonRecord], _ store: FileStore) async throws -> [ButtonRecord] {
        switch work {
        case .firstSave, .save, .saveAfterKeeping, .saveAfterDamage: try await store.save(new)
        case .firstKeep, .keep, .keepAfterSaving: try await store.keep(new)
        }
        return try await store.load()
    }

    private static func outcome(_ work: Work, _ new: [ButtonRecord], _ before: [ButtonRecord]) -> [ButtonRecord] {
        switch work {
        case .firstSave, .save, .saveAfterKeeping, .saveAfterDamage: new
        case .firstKeep, .keep, .keepAfterSaving: zip(before, new).map { advanced($0, to: $1.position) }
        }
    }

    private static func advanced(_ record: ButtonRecord, to position: EventPosition) -> ButtonRecord {
        var record = record
        record.position = position
        return record
    }

    private static func advanced(_ records: [ButtonRecord], by presses: Int) -> [ButtonRecord] {
        records.map { advanced($0, to: EventPosition(bootID: $0.bootID, eventCount: $0.eventCount + 4 * UInt32(presses))) }
    }

    @Test("Records are durable before they take the place of the old ones, and the directory after that; presses wait for no medium")
    func order() async throws {
        let (old, new) = try await Self.states()
        try await StoreMaterial.withDirectory { directory in
            let killer = Killer(at: .max)
            var calls = SystemCalls()
            calls.failure = killer.failure
            let store = FileStore(directory: directory, calls: calls)
            try await store.lock()
            try await store.save(old)
            killer.isArmed.withLock { $0 = true }
            try await store.save(new)
            #expect(killer.calls == ["unlink", "open", "pwrite", "fsync", "unlink", "link", "rename", "fsync"])
            for _ in 0..<3 { try await store.keep(new) }
            #expect(killer.calls.dropFirst(8) == ["open", "pwrite", "pwrite", "pwrite"])
        }
    }

    @Test("A file cut short at any length: the previous records, with the presses told since")
    func truncated() async throws {
        let (old, new) = try await Self.states()
        try await StoreMaterial.withDirectory { directory in
            let store = FileStore(directory: directory) { _, _ in }
            try await store.lock()
            try await store.save(old)
            try await store.save(new)
            try await store.keep(Self.advanced(new, by: 1))
            let file = directory.appending(path: "buttons.json")
            let bytes = try Data(contentsOf: file)
            let expected = zip(old, Self.advanced(new, by: 1)).map { Self.advanced($0, to: $1.position) }
            for length in stride(from: 0, to: bytes.count - 2, by: 37) {
                try bytes.prefix(length).write(to: file)
                let loaded = try await FileStore(directory: directory) { _, _ in }.load()
                #expect(loaded == expected, "cut at \(length)")
            }
        }
    }

    @Test("Counters cut short or damaged anywhere: those before, never others")
    func damagedCounters() async throws {
        let (old, _) = try await Self.states()
        try await StoreMaterial.withDirectory { directory in
            let store = FileStore(directory: directory) { _, _ in }
            try await store.lock()
            try await store.save(old)
            try await store.keep(Self.advanced(old, by: 1))
            try await store.keep(Self.advanced(old, by: 2))
            let file = directory.appending(path: "buttons.counters")
            let bytes = try Data(contentsOf: file)
            let latest = (try #require(StoredCounters(slot: Array(bytes.prefix(StoredCounters.slotSize))))).sequence
            #expect(latest == 2 || latest == 3)
            let size = try #require(StoredCounters(sequence: 3, records: Self.advanced(old, by: 2)).bytes).count
            let start = Int(3 % 2) * StoredCounters.slotSize
            for offset in 0..<size {
                var damaged = bytes
                damaged[start + offset] ^= 0x10
                try damaged.write(to: file)
                #expect(try await FileStore(directory: directory) { _, _ in }.load() == Self.advanced(old, by: 1), "byte \(offset)")
            }
            for length in [0, 1, size / 2, StoredCounters.slotSize - 1] {
                try bytes.prefix(length).write(to: file)
                let loaded = try await FileStore(directory: directory) { _, _ in }.load()
                #expect(loaded == old || loaded == Self.advanced(old, by: 1), "cut at \(length)")
            }
        }
    }

    @Test("More buttons than counters have room for: everything is saved instead")
    func many() async throws {
        let record = try #require(try await StoreMaterial.records(1).first)
        let many = (0..<2000).map { number in
            ButtonRecord(
                identifier: UUID(),
                address: record.address,
                uuid: record.uuid,
                serialNumber: "\(number)",
                name: record.name,
                pairing: record.pairing
            )
        }
        try await StoreMaterial.withDirectory { directory in
            let store = FileStore(directory: directory)
            try await store.lock()
            try await store.keep(many)
            #expect(try await store.load() == many)
        }
    }
}
