import FlicClient
import Foundation
import Testing

@testable import FlicClient

@Suite("What can be seen of a store without using it")
struct StoreExaminationTests {
    /// A store with two buttons, saved twice, and what is seen of it after `change`.
    private func facts(after change: (URL) throws -> Void = { _ in }) async throws -> (StoreFacts, [ButtonRecord]) {
        var result: (StoreFacts, [ButtonRecord])?
        try await StoreMaterial.withDirectory { directory in
            let records = try await StoreMaterial.records(2)
            let store = FileStore(directory: directory)
            try await store.lock()
            try await store.save([records[0]])
            try await store.save(records)
            await store.unlock()
            try change(directory)
            result = (await FileStore(directory: directory).examine(), records)
        }
        return try #require(result)
    }

    @Test("All is well")
    func healthy() async throws {
        let (facts, records) = try await facts()
        #expect(facts.contents == .records(records) && facts.records == records)
        #expect(facts.obstacle == nil && facts.exposed.isEmpty && facts.foreign.isEmpty && facts.holder == nil)
        #expect(try #require(facts.freeBytes) > 0)
    }

    @Test("Not there yet: nothing is made")
    func missing() async throws {
        try await StoreMaterial.withDirectory { directory in
            let facts = await FileStore(directory: directory).examine()
            #expect(facts.contents == .none && facts.obstacle == nil && facts.records.isEmpty && facts.freeBytes != nil)
            #expect(!FileManager.default.fileExists(atPath: directory.deletingLastPathComponent().path))
        }
    }

    @Test("Nothing is changed, not even where it is damaged")
    func untouched() async throws {
        try await StoreMaterial.withDirectory { directory in
            let store = FileStore(directory: directory)
            try await store.lock()
            try await store.save([])
            await store.unlock()
            try Data("{".utf8).write(to: directory.appending(path: "buttons.json"))
            let before = try Self.listing(directory)
            _ = await FileStore(directory: directory).examine()
            #expect(try Self.listing(directory) == before)
        }
    }

    /// Files with their numbers, sizes and times of change.
    private static func listing(_ directory: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().map { name in
            var status = stat()
            stat(directory.appending(path: name).path, &status)
            return "\(name) \(status.st_ino) \(status.st_size) \(status.st_ctim.tv_sec) \(status.st_ctim.tv_nsec)"
        }
    }

    @Test("Damaged: the copy from before, or none")
    func damaged() async throws {
        let (facts, records) = try await facts { try Data("{".utf8).write(to: $0.appending(path: "buttons.json")) }
        #expect(facts.contents == .damaged(copy: [records[0]]) && facts.records == [records[0]])
        let (lost, _) = try await self.facts { directory in
            for name in ["buttons.json", "buttons.json.old"] { try Data().write(to: directory.appending(path: name)) }
        }
        #expect(lost.contents == .damaged(copy: nil) && lost.records.isEmpty)
    }

    @Test("The file is gone, the copy is there")
    func copyOnly() async throws {
        let (facts, records) = try await facts { try FileManager.default.removeItem(at: $0.appending(path: "buttons.json")) }
        #expect(facts.contents == .records([records[0]]))
    }

    @Test("By a newer version")
    func newer() async throws {
        let (facts, _) = try await facts { try Data(#"{"version":1000}"#.utf8).write(to: $0.appending(path: "buttons.json")) }
        #expect(facts.contents == .newerVersion && facts.records.isEmpty)
    }

    @Test("Not a file")
    func directory() async throws {
        let (facts, _) = try await facts { directory in
            let file = directory.appending(path: "buttons.json")
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        }
        guard case .unreadable(let error) = facts.contents else { return #expect(facts.contents == .none, "not unreadable") }
        #expect(error.code == .failed && error.description.contains("buttons.json"))
    }

    @Test("Below a file, where no directory can be")
    func belowFile() async throws {
        try await StoreMaterial.withDirectory { directory in
            let parent = directory.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try Data().write(to: directory)
            let facts = await FileStore(directory: directory.appending(path: "deeper", directoryHint: .isDirectory)).examine()
            guard case .unreadable = facts.contents else { return #expect(facts.contents == .none, "not unreadable") }
            #expect(facts.obstacle != nil)
        }
    }

    @Test("Modes that let others in")
    func exposed() async throws {
        let (facts, _) = try await facts { directory in
            chmod(directory.path, 0o755)
            chmod(directory.appending(path: "buttons.json").path, 0o640)
        }
        #expect(facts.exposed.map { URL(filePath: $0).lastPathComponent } == ["buttons.json"])
        let (open, _) = try await self.facts { chmod($0.path, 0o770) }
        #expect(open.exposed.map { URL(filePath: $0).lastPathComponent } == ["state"])
    }

    @Test("Owned by another user", .enabled(if: getuid() == 0))
    func foreign() async throws {
        let (facts, _) = try await facts { #expect(chown($0.appending(path: "buttons.json").path, 65_534, 65_534) == 0) }
        #expect(facts.foreign.map { URL(filePath: $0).lastPathComponent } == ["buttons.json"] && facts.obstacle == nil)
    }

    @Test("Not readable, not writable", .enabled(if: getuid() != 0))
    func denied() async throws {
        let (facts, _) = try await facts { directory in
            chmod(directory.appending(path: "buttons.json").path, 0)
            chmod(directory.path, 0o500)
        }
        guard case .unreadable(let error) = facts.contents else { return #expect(facts.contents == .none, "not unreadable") }
        #expect(error.code == .denied && facts.obstacle?.code == .denied)
    }

    @Test("In use: by which process, as long as it is")
    func holder() async throws {
        try await StoreMaterial.withDirectory { directory in
            let owner = FileStore(directory: directory)
            try await owner.lock()
            let holder = try #require(await FileStore(directory: directory).examine().holder)
            #expect(holder.process == getpid() && !holder.name.isEmpty && !holder.name.contains("\n"))
            // Looking has not taken it.
            #expect(await FileStore(directory: directory).examine().holder == holder)
            await owner.unlock()
            #expect(await FileStore(directory: directory).examine().holder == nil)
        }
    }

    @Test("The list of locks: only those of flock on this file, by those who have them")
    func locks() {
        let locks = """
            1: FLOCK  ADVISORY  WRITE 4711 08:01:99 0 EOF
            2: POSIX  ADVISORY  WRITE 4712 08:01:99 0 EOF
            3: FLOCK  ADVISORY  WRITE 4713 00:2b:100 0 EOF
            4: FLOCK  ADVISORY  WRITE 4714 00:2b:99 0 EOF
            4: -> FLOCK  ADVISORY  WRITE 4715 00:2b:99 0 EOF
            5: FLOCK  ADVISORY  WRITE -1 08:01:99 0 EOF
            6: FLOCK  ADVISORY  WRITE 99999999999 08:01:99 0 EOF
            7: FLOCK
            nonsense FLOCK x x x 99
            """
        #expect(LockHolder.owners(in: locks, of: 99) == [4711, 4714])
    }
}
