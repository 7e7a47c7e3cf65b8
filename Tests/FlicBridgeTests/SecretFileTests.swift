import Foundation
import Glibc
import MQTT
import Testing

@testable import FlicBridge

@Suite("Files with secrets")
struct SecretFileTests {
    private func withFile<Result>(_ contents: [UInt8]?, mode: mode_t = 0o600, _ body: (String) throws -> Result) throws -> Result {
        let path = "\(FileManager.default.temporaryDirectory.path)/flickit-secret-\(UUID().uuidString)"
        defer { unlink(path) }
        if let contents {
            try Data(contents).write(to: URL(filePath: path))
            chmod(path, mode)
        }
        return try body(path)
    }

    private func withFile<Result>(_ contents: String, mode: mode_t = 0o600, _ body: (String) throws -> Result) throws -> Result {
        try withFile(Array(contents.utf8), mode: mode, body)
    }

    private func readLine(_ path: String) throws { _ = try SecretFile(path: path).firstLine() }

    /// What is said of a file.
    private func problem(at path: String, _ read: (String) throws -> Void) throws -> String? {
        do {
            try read(path)
            return nil
        } catch let problem as SecretFile.Problem {
            #expect(problem.path == path)
            #expect("\(problem)" == "\(path) \(problem.text)")
            return problem.text
        }
    }

    private func problem(_ contents: String, mode: mode_t = 0o600) throws -> String? {
        try withFile(contents, mode: mode) { try problem(at: $0, readLine) }
    }

    @Test("The secret is the first line")
    func line() throws {
        for contents in ["s3cret", "s3cret\n", "s3cret\r\nmore\n"] {
            let line = try withFile(contents) { path in Array(try SecretFile(path: path).firstLine()) }
            #expect(line == Array("s3cret".utf8))
        }
    }

    @Test("A file that others could read or change is refused", arguments: [0o604, 0o644, 0o620, 0o602, 0o601] as [mode_t])
    func mode(_ mode: mode_t) throws {
        #expect(try problem("s", mode: mode) == "may be read or changed by others: 'chmod 600' it")
    }

    @Test("Credentials of systemd, and what its owner alone may read, are not", arguments: [0o400, 0o440, 0o600, 0o640] as [mode_t])
    func privateMode(_ mode: mode_t) throws {
        #expect(try problem("s", mode: mode) == nil)
    }

    @Test("A file that is missing, says nothing or too much is refused")
    func contents() throws {
        let missing = try withFile(nil) { path in try problem(at: path, readLine) }
        #expect(missing == "cannot be read: No such file or directory")
        #expect(try problem("") == "has nothing in its first line")
        #expect(try problem("\ns") == "has nothing in its first line")
        #expect(try problem(String(repeating: "a", count: 4096)) == nil)
        #expect(try problem(String(repeating: "a", count: 4097)) == "is longer than 4096 bytes")
        #expect(try problem("s\n" + String(repeating: "a", count: 4095)) == "is longer than 4096 bytes")
    }

    @Test("What is no file keeps nobody waiting")
    func noFile() throws {
        let said = try withFile(nil) { path in
            mkfifo(path, 0o600)
            return try problem(at: path, readLine)
        }
        #expect(said == "is not a file")
        #expect(try problem(at: "/dev/null", readLine) == "is not a file")
        #expect(try problem(at: FileManager.default.temporaryDirectory.path, readLine) == "is not a file")
    }

    // MARK: What is in them

    @Test("A token is one word, read anew each time")
    func token() throws {
        try withFile("t0k.e-n_~+/=\r\nmore\n") { path in
            #expect(try BearerToken(file: path).text == "t0k.e-n_~+/=")
            try Data("next".utf8).write(to: URL(filePath: path))
            #expect(try BearerToken(file: path).text == "next")
        }
        for text in ["a b", "caf\u{E9}", "a\u{7F}"] {
            let said = try withFile(text) { path in try problem(at: path) { _ = try BearerToken(file: $0) } }
            #expect(said == "has characters in its first line that no token has")
        }
    }

    private func readPassword(_ path: String) throws -> String? {
        try MQTTOptions(Configuration.MQTT(host: "broker", username: "hall", passwordFile: path)).password
    }

    @Test("A password is text, with spaces as they are")
    func password() throws {
        let password = try withFile(" caf\u{E9} \n", readPassword)
        #expect(password == " caf\u{E9} ")
        for bytes: [UInt8] in [[0x61, 0], [0xFF]] {
            let said = try withFile(bytes) { path in try problem(at: path) { _ = try readPassword($0) } }
            #expect(said == "has no password in its first line: it is not text in UTF-8")
        }
    }

    @Test("A password or a token that others could read is refused")
    func refused() throws {
        try withFile("s", mode: 0o644) { path in
            let said = [try problem(at: path) { _ = try readPassword($0) }, try problem(at: path) { _ = try BearerToken(file: $0) }]
            #expect(said == Array(repeating: "may be read or changed by others: 'chmod 600' it", count: 2))
        }
    }
}
