import FlicClient
import FlicSimulator
import FoundationEssentials
import Glibc
import Testing

@testable import flic

@Suite("flic export, flic import")
struct ExportTests {
    private static let environment = ["FLICKIT_PASSPHRASE": "correct horse"]

    @Test("What was exported is imported: encrypted or plain, all or some")
    func roundTrip() async throws {
        try await Self.withDirectory { directory in
            try await Stage.play { stage in
                await stage.button.setName("Hall")
                await stage.pair()
                let other = await stage.pairAnother(seed: 2)
                let records = stage.store.contents
                let (all, some) = (directory.appending(path: "all").path, directory.appending(path: "some").path)
                let first = await stage.run("export", "--output", all, environment: Self.environment)
                #expect(first.code == .done && first.errors.isEmpty)
                #expect(first.results == ["Exported: Hall", "Exported: \(other.identity.serialNumber)"])
                let second = await stage.run("export", "hall", "--plain", "--output", some)
                #expect(second.results == ["Exported: Hall"] && second.errors.count == 1)
                #expect(stage.store.contents == records)
                for path in [all, some] { #expect(Self.mode(path) == 0o600) }

                try await stage.store.save([])
                #expect(await stage.run("import", some).results == ["Imported: Hall"])
                #expect(stage.store.contents == [records[0]])
                let third = await stage.run("import", all, environment: Self.environment)
                #expect(third.code == .done && third.errors.isEmpty)
                #expect(third.results == ["Imported: \(other.identity.serialNumber)", "Known already: Hall"])
                #expect(stage.store.contents == records)
                #expect(await stage.run("listen", "--seconds", "1").code == .done)
            }
        }
    }

    @Test("JSON: an object a button")
    func json() async throws {
        try await Self.withDirectory { directory in
            try await Stage.play { stage in
                await stage.pair()
                let path = directory.appending(path: "export").path
                let exported = try await stage.run("export", "--plain", "--output", path, "--json").objects
                let known = try await stage.run("import", path, "--json").objects
                try await stage.store.save([])
                let run = await stage.run("import", path, "--json")
                let imported = try run.objects
                #expect(run.errors.isEmpty)
                #expect((exported + known + imported).map(\.event) == ["exported", "known", "imported"])
                #expect((exported + known + imported).allSatisfy { $0.texts["button"] == stage.button.identity.serialNumber })
            }
        }
    }

    @Test("Without a file, the export is the only output")
    func standardOutput() async throws {
        try await Stage.play { stage in
            await stage.pair()
            for arguments in [[], ["--json"], ["--quiet"]] {
                let printed = Printed()
                #expect(await FlicProgram.run(["export", "--plain"] + arguments, in: stage.context(printed)) == .done)
                #expect(Data(printed.results.joined(separator: "\n").utf8) == PairingArchive.plain(stage.store.contents))
                #expect(printed.errors.count == (arguments.isEmpty ? 1 : 0))
            }
            let encrypted = await stage.run("export", environment: Self.environment).results.joined(separator: "\n")
            let records = try await PairingArchive.records(in: Data(encrypted.utf8), passphrase: "correct horse")
            #expect(records == stage.store.contents)
        }
    }

    @Test("An output file that exists, or a link, is left alone; nothing else is left behind", arguments: ["file", "link", "directory"])
    func exists(kind: String) async throws {
        try await Self.withDirectory { directory in
            let path = directory.appending(path: "export").path
            switch kind {
            case "file": try Data("precious".utf8).write(to: URL(filePath: path))
            case "link": #expect(symlink(directory.appending(path: "nowhere").path, path) == 0)
            default: #expect(mkdir(path, 0o700) == 0)
            }
            try await Stage.play { stage in
                await stage.pair()
                let run = await stage.run("export", "--plain", "--quiet", "--output", path)
                #expect(run.code == .failed && run.results.isEmpty)
                #expect(run.errors == ["flic: \(path) exists already; name another file."])
                let objects = try await stage.run("export", "--plain", "--output", path, "--json").objects
                #expect(objects.map { $0.texts["reason"] } == ["fileExists"])
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["export"])
            if kind == "file" { #expect(try Data(contentsOf: URL(filePath: path)) == Data("precious".utf8)) }
        }
    }

    @Test("An output file that cannot be made")
    func noDirectory() async throws {
        try await Self.withDirectory { directory in
            try await Stage.play { stage in
                await stage.pair()
                for name in ["missing/export", ""] {
                    let run = await stage.run("export", "--plain", "--quiet", "--output", directory.path + "/" + name)
                    #expect(run.code == .failed && run.errors.count == 1 && run.results.isEmpty)
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }

    @Test("A file is made where the path has no directory")
    func paths() throws {
        let name = "flic-\(UUID().uuidString)"
        defer { unlink(name) }
        try UserFile.create(name, contents: Data([1]))
        #expect(try Data(contentsOf: URL(filePath: name)) == Data([1]) && Self.mode(name) == 0o600)
    }

    @Test("Neither buttons nor an unknown one give an export")
    func nothing() async throws {
        try await Stage.play { stage in
            #expect(await stage.run("export", "--plain").code == .notPaired)
            await stage.pair()
            let run = await stage.run("export", "cellar", "--plain")
            #expect(run.code == .notPaired && run.results.isEmpty)
        }
    }

    // MARK: Passphrases

    @Test("The passphrase is the first line of a file, which wins, or in the environment", arguments: ["file", "environment"])
    func passphrases(source: String) async throws {
        try await Self.withDirectory { directory in
            let file = directory.appending(path: "passphrase").path
            try Data("from a file ü\nsecond line\n".utf8).write(to: URL(filePath: file))
            try await Stage.play { stage in
                await stage.pair()
                let environment = ["FLICKIT_PASSPHRASE": "from the environment"]
                let run =
                    source == "file"
                    ? await stage.run("export", "--passphrase-file", file, environment: environment)
                    : await stage.run("export", environment: environment)
                let archive = Data(run.results.joined(separator: "\n").utf8)
                let passphrase = source == "file" ? "from a file ü" : "from the environment"
                let records = try await PairingArchive.records(in: archive, passphrase: passphrase)
                #expect(records == stage.store.contents)
            }
        }
    }

    @Test("Without a passphrase, or with a useless one, nothing is exported")
    func noPassphrase() async throws {
        try await Self.withDirectory { directory in
            let (empty, binary) = (directory.appending(path: "empty").path, directory.appending(path: "binary").path)
            try Data("\nsecond line".utf8).write(to: URL(filePath: empty))
            try Data([0xFF, 0xFE]).write(to: URL(filePath: binary))
            try await Stage.play { stage in
                await stage.pair()
                let runs = [
                    (await stage.run("export"), ExitCode.usage), (await stage.run("export", environment: ["FLICKIT_PASSPHRASE": ""]), .usage),
                    (await stage.run("export", "--plain", "--passphrase-file", empty), .usage),
                    (await stage.run("export", "--passphrase-file", empty), .failed),
                    (await stage.run("export", "--passphrase-file", binary), .failed),
                    (await stage.run("export", "--passphrase-file", empty + "-missing"), .failed),
                    (await stage.run("export", "--passphrase-file", "/dev/zero"), .failed),
                ]
                for (run, code) in runs { #expect(run.code == code && run.results.isEmpty && run.errors.count == 1) }
            }
        }
    }

    @Test("Import: the wrong passphrase, none, a needless one; no export, no file; the store stays as it was")
    func importFailures() async throws {
        try await Self.withDirectory { directory in
            let names = ["encrypted", "plain", "junk", "missing"]
            let files = Dictionary(uniqueKeysWithValues: names.map { ($0, directory.appending(path: $0).path) })
            try await Stage.play { stage in
                await stage.pair()
                _ = await stage.run("export", "--output", files["encrypted"]!, environment: Self.environment)
                _ = await stage.run("export", "--plain", "--output", files["plain"]!)
                try Data("junk".utf8).write(to: URL(filePath: files["junk"]!))
                try await stage.store.save([])
                let runs = [
                    (await stage.run("import", files["encrypted"]!, environment: ["FLICKIT_PASSPHRASE": "wrong"]), ExitCode.failed, "wrong"),
                    (await stage.run("import", files["encrypted"]!), .usage, "FLICKIT_PASSPHRASE"),
                    (await stage.run("import", files["plain"]!, environment: Self.environment), .failed, "not encrypted"),
                    (await stage.run("import", files["junk"]!), .failed, "no exported pairings"),
                    (await stage.run("import", files["missing"]!), .failed, "missing"),
                    (await stage.run("import", directory.path), .failed, directory.path),
                    (await stage.run("import", "/dev/zero"), .failed, "too large"),
                ]
                for (run, code, word) in runs {
                    #expect(run.code == code && run.results.isEmpty && run.errors.count == 1 && run.errors.first?.contains(word) == true)
                }
                #expect(stage.store.contents.isEmpty)
            }
        }
    }

    @Test("Import: the wishes of the buttons that are here stay as they are")
    func importWishes() async throws {
        try await Self.withDirectory { directory in
            let path = directory.appending(path: "export").path
            try await Stage.play { stage in
                await stage.pair()
                _ = await stage.pairAnother(seed: 2)
                _ = await stage.run("export", "--plain", "--output", path)
                var records = stage.store.contents
                records[0].wantsConnection = false
                try await stage.store.save(Array(records.prefix(1)))
                #expect(await stage.run("import", path).results.count == 2)
                #expect(stage.store.contents.map(\.wantsConnection) == [false, true])
            }
        }
    }

    @Test("A file that may not be read is permission denied", .enabled(if: getuid() != 0))
    func denied() async throws {
        try await Self.withDirectory { directory in
            let path = directory.appending(path: "export").path
            try Data().write(to: URL(filePath: path))
            chmod(path, 0)
            try await Stage.play { stage in
                #expect(await stage.run("import", path).code == .denied)
            }
        }
    }

    // MARK: Standard input

    @Test("A hyphen is standard input; a wait for it ends when it is cancelled")
    func standardInput() async throws {
        let silent = try Self.pipe()
        let waiting = Task { try await UserFile.read("-", limit: 100, standardInput: silent.reading) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        close(silent.writing)  // the other end is still being read

        let other = try Self.pipe()
        defer { close(other.reading) }
        #expect(write(other.writing, "other", 5) == 5)
        close(other.writing)
        #expect(try await UserFile.read("-", limit: 5, standardInput: other.reading) == Data("other".utf8))
    }

    // MARK: Material

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    private static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    private static func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "flic-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }
}
