import FlicClient
import FlicSimulator
import Foundation
import Testing

@testable import flic

@Suite("flic rules")
struct RulesTests {
    /// A directory with this text as `config.json`.
    private static func withFile(_ text: String, _ body: (_ path: String, _ directory: String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "config.json")
        try Data(text.utf8).write(to: file)
        try await body(file.path, directory.path)
    }

    private static let rules = """
        {"rules": [
          {"name": "lamp", "button": "Hall", "event": "click", "queued": false, "exec": {"command": "/bin/true"}},
          {"name": "all", "event": ["click", "hold"], "maxAge": 5, "exec": {"command": "/bin/true"}}
        ]}
        """

    @Test("check: all is well, in text and in JSON; the usual file is found")
    func good() async throws {
        try await Self.withFile(Self.rules) { path, directory in
            let run = try await Stage.play { stage in await stage.run("rules", "check", path) }
            #expect(run.code == .done && run.errors.isEmpty && run.results == ["\(path): 2 rules, no errors."])
            let environment = ["CONFIGURATION_DIRECTORY": directory]
            let json = try await Stage.play { stage in await stage.run("rules", "check", "--json", environment: environment) }
            let object = try #require(try json.objects.first)
            #expect(json.code == .done && object.event == "checked" && object.texts["file"] == path && object.numbers["rules"] == 2)
        }
    }

    @Test("check: each error, in text and in JSON, and exit code 1")
    func bad() async throws {
        try await Self.withFile("{\n\"rules\": [{\"event\": \"click\",\n\"exec\": {\"command\": \"/bin/true\", \"timeout\": \"soon\"}}],\n\"x\": 1}")
        { path, _ in
            let error = "a number of seconds from 0.1 to 3600, not \"soon\""
            let run = try await Stage.play { stage in await stage.run("rules", "check", path) }
            #expect(run.code == .failed && run.errors == ["flic: \(path) cannot be used: 2 errors."] && run.results.count == 2)
            #expect(run.results.first == "\(path):3: rules[0].exec.timeout: \(error)")
            let json = try await Stage.play { stage in await stage.run("rules", "check", "--json", path) }
            #expect(try json.objects.map(\.event) == ["problem", "problem", "failed"])
            let object = try #require(try json.objects.first)
            #expect(object.numbers["line"] == 3 && object.texts["key"] == "rules[0].exec.timeout" && object.texts["message"] == error)
            #expect(object.names == ["event", "file", "line", "key", "message"])
        }
    }

    @Test("check: a program that is not there is a warning")
    func warning() async throws {
        try await Self.withFile(#"{"rules": [{"event": "up", "exec": {"command": "/nowhere/light"}}]}"#) { path, _ in
            let run = try await Stage.play { stage in await stage.run("rules", "check", path) }
            #expect(run.code == .done && run.results.last == "\(path): 1 rule, no errors.")
            #expect(
                run.results.first == "\(path):1: rules[0].exec.command: /nowhere/light: No such file or directory (only a warning)"
            )
        }
    }

    @Test("test: which rules would fire, and why not")
    func dryRun() async throws {
        try await Self.withFile(Self.rules) { path, _ in
            try await Stage.play { stage in
                func results(_ arguments: String...) async -> [String] {
                    let printed = Printed()
                    let code = await FlicProgram.run(["rules", "test", path] + arguments, in: stage.context(printed))
                    return code == .done ? printed.results : printed.errors
                }
                #expect(await results("--event", "click") == ["lamp: fires for Hall", "all: fires"])
                #expect(
                    await results("--event", "hold") == ["lamp: does not fire: it is for click, not for hold", "all: fires"]
                )
                #expect(
                    await results("--event", "click", "--age", "6") == [
                        "lamp: does not fire: it is not for queued presses", "all: does not fire: 6 s are too old for it",
                    ]
                )
                #expect(await results("--event", "click", "--button", "Kitchen") == ["lamp: does not fire: it is for Hall", "all: fires"])
                #expect(await results("--event", "click", "--number", "1") == ["lamp: fires for Hall", "all: fires"])
                #expect(await stage.run("rules", "test", path, "--event", "click", "--number", "2").code == .usage)
                await stage.button.enterPublicMode()
                #expect(await stage.run("pair", "--name", "Hall").code == .done)
                #expect(await results("--event", "click", "--button", stage.button.identity.serialNumber) == ["lamp: fires", "all: fires"])
                let json = await stage.run("rules", "test", path, "--event", "hold", "--json")
                let object = try #require(try json.objects.first)
                #expect(object.names == ["event", "rule", "fires", "reason", "message"])
                #expect(object.flags["fires"] == false && object.texts["reason"] == "otherEvent" && object.texts["rule"] == "lamp")
                #expect(
                    await results("--event", "klick").first?.contains(
                        "takes down, up, click, doubleClick, tripleClick, hold, swipeLeft, swipeRight, swipeUp, swipeDown, not 'klick'"
                    ) == true
                )
                #expect(await results("--event", "click", "--age", "soon").first?.contains("whole number of seconds, not 'soon'") == true)
                #expect(await results().first?.contains("needs '--event'") == true)
            }
        }
    }

    @Test("Neither a file nor a known deed")
    func usage() async throws {
        try await Stage.play { stage in
            let none = await stage.run("rules", "check", environment: ["CONFIGURATION_DIRECTORY": "/nowhere"])
            #expect(none.code == .failed)
            #expect(none.errors == ["flic: There is no configuration at /nowhere/config.json; name a file."])
            #expect(await stage.run("rules", "run").code == .usage)
            #expect(await stage.run("rules", "check", "/x", "--queued").code == .usage)
            #expect(await stage.run("rules").code == .usage)
        }
    }
}
