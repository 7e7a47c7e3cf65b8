import Fixtures
import FoundationEssentials
import HTTP
import Testing

@testable import FlicBridge

@Suite("Web hooks: templates")
struct WebhookTemplateTests {
    private static let record: EventRecord = {
        var record = EventRecord("click")
        record.time = 1.5
        record.date = "2024-05-01T10:00:00.000Z"
        record.button = "BC00-A00001"
        record.uuid = "00112233445566778899aabbccddeeff"
        record.name = "Caf\u{E9} \"1\"\r\nX: y & z"
        record.address = "80:E4:DA:00:00:01"
        record.volts = 2.95
        record.batteryPercent = 88
        record.batteryLow = false
        record.queued = true
        record.age = 4
        record.buttonNumber = 1
        record.gesture = "left"
        record.turns = 0.25
        record.position = 0.5
        record.twistMode = 12
        record.count = .max
        record.clock = .max
        record.state = "poweredOn"
        record.buttons = 3
        record.reason = "timeout"
        record.message = "Text"
        return record
    }()
    private let values = WebhookTemplate.values(of: record)

    private func fill(_ text: String, _ place: WebhookTemplate.Place = .text) -> String { WebhookTemplate(text).filled(with: values, for: place) }

    @Test("Every member has a place, and no other word")
    func names() {
        let members = Mirror(reflecting: Self.record).children.compactMap(\.label)
        #expect(Set(members) == Set(WebhookTemplate.names))
        for name in WebhookTemplate.names { #expect(fill("{\(name)}") != "" && fill("{\(name)}") != "{\(name)}", "\(name)") }
        #expect(fill("{event} {count} {clock} {volts} {age} {queued} {batteryLow}") == "click 4294967295 18446744073709551615 2.95 4 true false")
    }

    @Test("What is written is what the place can hold")
    func places() {
        #expect(fill("/{name}?{date}", .url) == "/Caf%C3%A9%20%221%22%0D%0AX%3A%20y%20%26%20z?2024-05-01T10%3A00%3A00.000Z")
        #expect(fill("<{name}>", .header) == "<Caf\u{E9} \"1\"  X: y & z>")
        #expect(fill("{\"n\": \"{name}\"}", .json) == "{\"n\": \"Caf\u{E9} \\\"1\\\"\\r\\nX: y & z\"}")
        #expect(fill("{name}") == Self.record.name)
    }

    @Test("Other braces stay, and what does not apply is empty")
    func braces() {
        #expect(fill("{{event}} {} {nobody} {event {event") == "{click} {} {nobody} {event {event")
        #expect(WebhookTemplate("<{name}{age}>").filled(with: WebhookTemplate.values(of: EventRecord("ready")), for: .text) == "<>")
        var record = EventRecord("click")
        record.name = "{event}"
        #expect(WebhookTemplate("{name}").filled(with: WebhookTemplate.values(of: record), for: .text) == "{event}")
    }

    @Test("Whatever a name is, a URL stays one, a header a line, and JSON is JSON")
    func hostile() throws {
        var random = Random(seed: 1)
        for _ in 0..<500 {
            var record = EventRecord("click")
            record.name = String(decoding: random.bytes(random.next(24)), as: UTF8.self)
            let values = WebhookTemplate.values(of: record)
            #expect(values["name"] == record.name)
            let url = WebhookTemplate("http://localhost/{name}").filled(with: values, for: .url)
            #expect(HTTPRequest.problem(url: url) == nil)
            let header = WebhookTemplate("{name}").filled(with: values, for: .header)
            #expect(HTTPRequest.problem(header: "X", header) == nil)
            let json = WebhookTemplate("{\"name\":\"{name}\"}").filled(with: values, for: .json)
            #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == ["name": record.name])
        }
    }
}
