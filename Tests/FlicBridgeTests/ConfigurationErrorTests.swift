import FlicBridge
import Testing

@Suite("Configuration: what is wrong with a file")
struct ConfigurationErrorTests {
    static func errors(_ text: String, refusals: ConfigurationFile.Refusals = .init()) -> [String] {
        do throws(ConfigurationError) {
            _ = try ConfigurationTests.read(text, refusals: refusals)
            return []
        } catch {
            return error.lines
        }
    }

    @Test("All errors at once, each with its line and key, in the order of the file")
    func atOnce() {
        let text = """
            {
              "adapter": "eth0",
              "mqqt": {},
              "metrics": {"port": 70000},
              "rules": [
                {"name": "a", "event": "click", "exec": {"command": ["/bin/true"]}},
                {"name": "a", "event": "click", "exec": {"command": ["/bin/true"]}},
                {
                  "event": "klick",
                  "exec": {
                    "command": ["light", "on"],
                    "timeout": "soon",
                    "min_interval": 3
                  }
                },
                "x"
              ],
              "metrics": {}
            }
            """
        #expect(
            Self.errors(text) == [
                #"c.json:2: adapter: the name of an adapter, such as hci0, or its address, not "eth0""#,
                "c.json:3: mqqt: is not known; did you mean 'mqtt'? Known here: adapter, store, socket, metrics, mqtt, rules",
                "c.json:4: metrics.port: a whole number from 1 to 65535, not 70000",
                "c.json:7: rules[1].name: 'a' is the name of rules[0] already",
                #"c.json:9: rules[2].event: "down", "up", "click", "doubleClick", "tripleClick", "hold", "swipeLeft", "swipeRight", "swipeUp", "swipeDown", or a list of that, not "klick""#,
                #"c.json:11: rules[2].exec.command: the absolute path of a program comes first, not "light"; there is no shell"#,
                #"c.json:12: rules[2].exec.timeout: a number of seconds from 0.1 to 3600, not "soon""#,
                "c.json:13: rules[2].exec.min_interval: is not known; Known here: command, timeout, concurrency, environment",
                #"c.json:16: rules[3]: an object, not "x""#,
                "c.json:18: metrics: is there twice; first in line 4",
            ]
        )
    }

    private static let exec = #""exec": {"command": "/bin/true"}"#

    /// What stands in a file, and the one error that it has, without the path.
    @Test(
        "Values are checked when the file is read",
        arguments: [
            (#"[]"#, "1: an object, not a list"),
            (#"{"store": "lib"}"#, #"1: store: an absolute path of at most 4095 bytes, not "lib""#),
            (#"{"store": "/a\u0000b"}"#, #"1: store: an absolute path of at most 4095 bytes, not "/a b""#),
            (#"{"store": null}"#, "1: store: an absolute path of at most 4095 bytes, not null"),
            (
                #"{"socket": {"path": "/\#(String(repeating: "a", count: 107))"}}"#,
                #"1: socket.path: an absolute path of at most 107 bytes, not "/\#(String(repeating: "a", count: 63))…""#
            ),
            (#"{"socket": {}}"#, "1: socket.path: is missing: an absolute path"),
            (#"{"metrics": {"port": 80.5}}"#, "1: metrics.port: a whole number from 1 to 65535, not 80.5"),
            (#"{"mqtt": {}}"#, "1: mqtt.host: is missing: the name or address of a broker"),
            (#"{"mqtt": {"host": "a b"}}"#, #"1: mqtt.host: the name or address of a broker, not "a b""#),
            (#"{"mqtt": {"host": "a", "passwordFile": "/p"}}"#, "1: mqtt.username: is missing: a password needs one"),
            (#"{"mqtt": {"host": "a", "tls": {"certFile": "/p"}}}"#, "1: mqtt.tls.keyFile: is missing: 'certFile' is of no use without it"),
            (#"{"mqtt": {"host": "a", "discovery": "all"}}"#, #"1: mqtt.discovery: "device", "entity", "none", not "all""#),
            (
                #"{"mqtt": {"host": "a", "baseTopic": "a/#"}}"#,
                #"1: mqtt.baseTopic: a topic of at most 200 bytes, without '+' and '#', and no '/' at its beginning or end, not "a/#""#
            ),
            (
                #"{"mqtt": {"host": "a", "suggestedAreas": {"Hall": 1}}}"#,
                "1: mqtt.suggestedAreas.Hall: the name of an area, for a button, not 1"
            ),
            (#"{"rules": {}}"#, "1: rules: a list of 1000 objects at most, not an object"),
            (
                #"{"rules": [{\#(exec)}]}"#,
                #"1: rules[0].event: is missing: "down", "up", "click", "doubleClick", "tripleClick", "hold", "swipeLeft", "swipeRight", "swipeUp", "swipeDown", or a list of them"#
            ),
            (#"{"rules": [{"event": "up"}]}"#, "1: rules[0].exec: is missing: a rule needs 'exec' or 'webhook' or both"),
            (
                #"{"rules": [{"event": ["up", 3], \#(exec)}]}"#,
                #"1: rules[0].event[1]: "down", "up", "click", "doubleClick", "tripleClick", "hold", "swipeLeft", "swipeRight", "swipeUp", "swipeDown", not 3"#
            ),
            (#"{"rules": [{"event": [], \#(exec)}]}"#, "1: rules[0].event: a list of 1 to 10 elements, not of 0"),
            (
                #"{"rules": [{"event": "up", "button": "", \#(exec)}]}"#,
                #"1: rules[0].button: the name, serial number, uuid or identifier of a button, or a list of that, not """#
            ),
            (#"{"rules": [{"event": "up", "maxAge": -1, \#(exec)}]}"#, "1: rules[0].maxAge: a number of seconds from 0 to 86400, not -1"),
            (#"{"rules": [{"event": "up", "queued": "no", \#(exec)}]}"#, #"1: rules[0].queued: true or false, not "no""#),
            (
                #"{"rules": [{"event": "up", "exec": {}}]}"#,
                "1: rules[0].exec.command: is missing: a program and its arguments, as a list of texts"
            ),
            (#"{"rules": [{"event": "up", "exec": {"command": []}}]}"#, "1: rules[0].exec.command: a list of 1 to 1000 elements, not of 0"),
            (
                #"{"rules": [{"event": "up", "exec": {"command": "/bin/true", "concurrency": "kill"}}]}"#,
                #"1: rules[0].exec.concurrency: "skip", "queue", "restart", not "kill""#
            ),
            (
                #"{"rules": [{"event": "up", "exec": {"command": "/bin/true", "environment": {"A-B": "1"}}}]}"#,
                "1: rules[0].exec.environment[\"A-B\"]: a text, for a name of letters, digits and '_' that does not begin with FLICKIT_, not \"1\""
            ),
            (
                #"{"rules": [{"event": "up", "exec": {"command": "/bin/true", "environment": {"FLICKIT_AGE": "1"}}}]}"#,
                "1: rules[0].exec.environment.FLICKIT_AGE: a text, for a name of letters, digits and '_' that does not begin with FLICKIT_, not \"1\""
            ),
            (
                #"{"rules": [{"event": "up", "webhook": {}}]}"#,
                "1: rules[0].webhook.url: is missing: an absolute URL of at most 8192 bytes"
            ),
            (
                #"{"rules": [{"event": "up", "webhook": {"url": "ftp://secret/"}}]}"#,
                "1: rules[0].webhook.url: the URL does not begin with http:// or https:// and a host, which cannot be a template"
            ),
            (
                #"{"rules": [{"event": "up", "webhook": {"url": "https://me:secret@host/"}}]}"#,
                "1: rules[0].webhook.url: the URL does not begin with http:// or https:// and a host, which cannot be a template"
            ),
            (
                #"{"rules": [{"event": "up", "webhook": {"url": "https://me@host/"}}]}"#,
                "1: rules[0].webhook.url: the URL does not begin with http:// or https:// and a host, which cannot be a template"
            ),
            (
                #"{"rules": [{"event": "up", "webhook": {"url": "https://host/\r\nX: 1"}}]}"#,
                "1: rules[0].webhook.url: the URL has characters that must be percent-encoded"
            ),
            (
                #"{"rules": [{"event": "up", "webhook": {"url": "http://127.0.0.1.evil/"}}]}"#,
                "1: rules[0].webhook.url: the URL is neither https nor of this computer: what is sent could be read on the way"
            ),
            (
                #"{"rules": [{"event": "up", "webhook": {"url": "https://host/", "headers": {"X": "secret\r\nY: 1"}}}]}"#,
                "1: rules[0].webhook.headers.X: a text in one line, for the name of a header"
            ),
            (
                #"{"rules": [{"event": "up", "webhook": {"url": "https://host/", "headers": {"X:": "secret"}}}]}"#,
                "1: rules[0].webhook.headers[\"X:\"]: a text in one line, for the name of a header"
            ),
            (
                #"{"rules": [{"event": "up", "webhook": {"url": "https://host/", "method": "GET", "body": "x"}}]}"#,
                "1: rules[0].webhook.body: is of no use: a GET has none"
            ),
            (
                #"{"rules": [{"event": "up", "webhook": {"url": "https://host/", "tokenFile": "/t", "headers": {"authorization": "x"}}}]}"#,
                "1: rules[0].webhook.tokenFile: would replace the header 'authorization': one of the two"
            ),
        ]
    )
    func values(text: String, error: String) {
        #expect(Self.errors(text) == ["c.json:\(error)"])
    }

    @Test("Texts that are no JSON: line, column, and what was expected")
    func syntax() {
        let cases = [
            ("", "1:1: a value was expected, not the end of the file"),
            ("{\n  \"store\": \"/a\"\n  \"adapter\": \"hci0\"\n}", "3:3: ',' or '}' was expected, not '\"'"),
            ("{\n\"store\": \"/a\",\n}", "3:1: a name in quotation marks was expected after ',', not '}'"),
            ("{\"rules\": [1,]}", "1:14: a value was expected after ',', not ']'"),
            ("{\"store\" \"/a\"}", "1:10: ':' was expected, not '\"'"),
            ("{\"store\": '/a'}", "1:11: a value was expected, not '''"),
            ("{\"ä\": \"/a\", // remark\n}", "1:13: a name in quotation marks was expected, not '/'"),
            ("{\"store\": \"/a}\n", "1:11: this text has no quotation mark at its end"),
            ("{\"store\": \"\\x\"}", "1:11: this text has an escape or a byte that JSON does not know"),
            ("\u{92}", "1:1: a value was expected, not ' '"),  // a control character of two bytes
            ("{\u{9B}", "1:2: a name in quotation marks was expected, not ' '"),
            ("{\"store\": nul}", "1:11: a value was expected, not 'nul'"),
            ("{\"store\": 01}", "1:11: a value was expected, not '01'"),
            ("{\"store\": 1e999}", "1:11: a value was expected, not '1e999'"),
            ("{} {}", "1:4: nothing more was expected, not '{'"),
            ("{\"a\\", "1:2: this text has no quotation mark at its end"),
            (String(repeating: "[", count: 100_000), "1:17: lists and objects in more than 16 levels are too many"),
        ]
        for (text, error) in cases { #expect(Self.errors(text) == ["c.json:\(error)"]) }
        #expect(Self.errors("[" + String(repeating: "0,", count: 100_001)).first?.hasSuffix("more than 100000 values are too many") == true)
    }

    @Test("What is quoted is short, even where a single character is not")
    func longCharacter() {
        let letter = "e" + String(repeating: "\u{301}", count: 5000)
        let errors = Self.errors("{\"\(letter)\": 1, \"store\": \"\(letter)\"}")
        #expect(errors.count == 2 && errors.allSatisfy { $0.contains("…") && $0.utf8.count < 600 })
    }

    @Test("What this build cannot do is told with how to get it; rules for programs are not concerned")
    func refusals() {
        let refusals = ConfigurationFile.Refusals(mqtt: "No MQTT here.", webhooks: "No web hooks here.")
        let rules = #"[{"event": "up", \#(Self.exec)}, {"event": "up", "webhook": {"url": "https://host/"}}]"#
        #expect(
            Self.errors(#"{"mqtt": {"host": "a"}, "rules": \#(rules)}"#, refusals: refusals) == [
                "c.json:1: mqtt: No MQTT here.", "c.json:1: rules[1].webhook: No web hooks here.",
            ]
        )
        #expect(Self.errors(#"{"rules": [{"event": "up", \#(Self.exec)}]}"#, refusals: refusals).isEmpty)
    }

    @Test("So many errors are told, and no more")
    func bound() {
        let members = (1...150).map { "\"k\($0)\": 0" }.joined(separator: ",\n")
        let errors = Self.errors("{\n\(members)}")
        #expect(errors.count == 101 && errors.last == "c.json:102: 50 more from here on")
    }
}
