import FlicBridge
import Foundation
import HTTP
import Testing

@Suite("Configuration: what a file says")
struct ConfigurationTests {
    /// A file that has everything.
    static let everything = """
        {
          "adapter": "hci0",
          "store": "/var/lib/flickit",
          "socket": {"path": "/run/flickit/flickit.sock"},
          "metrics": {"port": 9000},
          "mqtt": {
            "host": "broker.home", "port": 8884, "username": "u", "passwordFile": "/run/credentials/mqtt",
            "tls": {"caFile": "/ca.pem", "certFile": "/me.pem", "keyFile": "/me.key", "insecure": true},
            "clientID": "one", "baseTopic": "home/flic", "discoveryPrefix": "ha", "discovery": "entity",
            "suggestedAreas": {"Hall": "Ground floor"}, "maxAge": 2.5
          },
          "rules": [
            {
              "name": "lamp", "button": ["Hall", "BC00-A00001"], "event": ["click", "doubleClick"],
              "buttonNumber": 1, "queued": false, "maxAge": 60, "minInterval": 0.5,
              "exec": {"command": ["/bin/sh", "-c", ""], "timeout": 3, "concurrency": "restart", "environment": {"LAMP": "2"}},
              "webhook": {
                "url": "http://ha:8123/api/webhook/{event}", "method": "GET", "headers": {"X-Room": "hall"}, "tokenFile": "/token",
                "timeout": 2, "tries": 5, "maxAge": 10, "allowInsecure": true
              }
            },
            {"event": "hold", "webhook": {"url": "https://example.org/"}}
          ]
        }
        """

    static func read(_ text: String, refusals: ConfigurationFile.Refusals = .init()) throws(ConfigurationError) -> ConfigurationFile.Contents {
        try ConfigurationFile(path: "c.json", refusals: refusals).parse(Array(text.utf8))
    }

    @Test("All that there is")
    func all() throws {
        let contents = try Self.read(Self.everything)
        let lamp = Configuration.Rule(
            name: "lamp",
            buttons: ["Hall", "BC00-A00001"],
            events: [.click, .doubleClick],
            buttonNumber: 1,
            queued: false,
            maxAge: .seconds(60),
            minInterval: .milliseconds(500),
            exec: .init(command: ["/bin/sh", "-c", ""], timeout: .seconds(3), concurrency: .restart, environment: ["LAMP": "2"]),
            webhook: .init(
                url: "http://ha:8123/api/webhook/{event}",
                method: .get,
                headers: ["X-Room": "hall"],
                tokenFile: "/token",
                timeout: .seconds(2),
                tries: 5,
                maxAge: .seconds(10),
                allowInsecure: true
            )
        )
        let mqtt = Configuration.MQTT(
            host: "broker.home",
            port: 8884,
            username: "u",
            passwordFile: "/run/credentials/mqtt",
            tls: .init(caFile: "/ca.pem", certFile: "/me.pem", keyFile: "/me.key", insecure: true),
            clientID: "one",
            baseTopic: "home/flic",
            discoveryPrefix: "ha",
            discovery: .entity,
            suggestedAreas: ["Hall": "Ground floor"],
            maxAge: .milliseconds(2500)
        )
        let expected = Configuration(
            adapter: "hci0",
            store: "/var/lib/flickit",
            socket: .init(path: "/run/flickit/flickit.sock"),
            metrics: .init(port: 9000),
            mqtt: mqtt,
            rules: [lamp, .init(name: "rule 2", events: [.hold], webhook: .init(url: "https://example.org/"))]
        )
        #expect(contents.configuration == expected && contents.warnings.isEmpty)
    }

    @Test("What need not be said")
    func defaults() throws {
        #expect(try Self.read("{}").configuration == Configuration())
        #expect(try Self.read("\u{FEFF}{}").configuration == Configuration())
        let text = #"{"metrics": {}, "mqtt": {"host": "::1", "tls": {}}, "rules": [{"event": "click", "exec": {"command": "/bin/true"}}]}"#
        let configuration = try Self.read(text).configuration
        #expect(configuration.metrics == .init(port: 9464))
        #expect(configuration.mqtt == .init(host: "::1", port: 8883, tls: .init()))
        #expect(configuration.rules == [.init(name: "rule 1", events: [.click], exec: .init(command: ["/bin/true"]))])
    }

    @Test("http goes to this machine; to others where it is allowed", arguments: ["localhost", "127.0.0.1:8080", "[::1]:1", "LOCALHOST"])
    func loopback(host: String) throws {
        let url = "http://\(host)/x"
        #expect(try Self.read(#"{"rules": [{"event": "up", "webhook": {"url": "\#(url)"}}]}"#).configuration.rules.first?.webhook?.url == url)
    }

    @Test("A program that is not there, or cannot be run, is a warning")
    func warnings() throws {
        let text = """
            {"rules": [
              {"event": "click", "exec": {"command": ["/nowhere/light"]}},
              {"event": "click", "exec": {"command": ["/etc/passwd"]}},
              {"event": "click", "exec": {"command": ["/"]}}
            ]}
            """
        let warnings = try Self.read(text).warnings.map { $0.text(in: "c.json") }
        #expect(
            warnings == [
                "c.json:2: rules[0].exec.command: /nowhere/light: No such file or directory",
                "c.json:3: rules[1].exec.command: /etc/passwd cannot be executed",
                "c.json:4: rules[2].exec.command: / cannot be executed",
            ]
        )
    }

    // MARK: Where it is

    @Test("Where a file is looked for")
    func paths() {
        func paths(_ environment: [String: String]) -> [String] { ConfigurationFile.usualPaths { environment[$0] } }
        #expect(paths(["CONFIGURATION_DIRECTORY": "/etc/a:/etc/b", "HOME": "/home/u"]) == ["/etc/a/config.json", "/etc/b/config.json"])
        #expect(paths(["XDG_CONFIG_HOME": "/x", "HOME": "/home/u"]) == ["/x/flickit/config.json", "/etc/flickit/config.json"])
        #expect(paths(["XDG_CONFIG_HOME": "x", "HOME": "/home/u"]) == ["/home/u/.config/flickit/config.json", "/etc/flickit/config.json"])
        #expect(paths([:]) == ["/etc/flickit/config.json"])
    }

    @Test("Files that cannot be read, and the first that is there")
    func files() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "config.json").path
        func error() -> String? {
            do throws(ConfigurationError) {
                _ = try ConfigurationFile(path: path).read()
                return nil
            } catch {
                return error.description
            }
        }
        let environment = ["CONFIGURATION_DIRECTORY": "/nowhere:\(directory.path)"]
        #expect(ConfigurationFile.usualPath { environment[$0] } == nil)
        #expect(error() == "\(path): cannot be read: No such file or directory")
        try Data("{}".utf8).write(to: URL(filePath: path))
        #expect(error() == nil && ConfigurationFile.usualPath { environment[$0] } == path)
        try Data(repeating: UInt8(ascii: " "), count: 1 << 20 + 1).write(to: URL(filePath: path))
        #expect(error() == "\(path): is larger than 1048576 bytes")
        try FileManager.default.removeItem(atPath: path)
        mkfifo(path, 0o600)
        #expect(error() == "\(path): is not a file")
    }
}
