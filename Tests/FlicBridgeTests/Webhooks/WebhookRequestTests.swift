import FoundationEssentials
import HTTP
import Testing

@testable import FlicBridge

@Suite("Web hooks: requests")
struct WebhookRequestTests {
    private let record: EventRecord = {
        var record = EventRecord("click")
        record.uuid = "0f3c"
        record.count = 212
        record.name = "Hall/1"
        return record
    }()

    @Test("A POST has the event as JSON, and a key by which the server knows it")
    func post() {
        let hook = Configuration.Webhook(url: "https://ha/api?b={name}", headers: ["X-Event": "{event}"])
        let request = hook.request(for: record, token: "t0k")
        #expect(request.method == .post && request.url == "https://ha/api?b=Hall%2F1")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"count":212,"event":"click","name":"Hall/1","uuid":"0f3c"}"#)
        let headers = request.headers.map { "\($0.name): \($0.value)" }
        #expect(headers == ["Authorization: Bearer t0k", "Content-Type: application/json", "Idempotency-Key: 0f3c-212-click", "X-Event: click"])
    }

    @Test("A GET has no body")
    func get() {
        let request = Configuration.Webhook(url: "http://localhost/{event}/{age}", method: .get, body: "x").request(for: record, token: nil)
        #expect(request.method == .get && request.url == "http://localhost/click/" && request.body.isEmpty)
        #expect(request.headers.map(\.name) == ["Idempotency-Key"])
    }

    @Test("Headers of the configuration replace those that are usual, whatever their letters; the token replaces all")
    func headers() {
        let hook = Configuration.Webhook(
            url: "http://localhost",
            headers: ["content-type": "text/plain", "authorization": "Basic eA=="],
            body: "{name}\""
        )
        let request = hook.request(for: record, token: "t0k")
        #expect(
            request.headers.map { "\($0.name): \($0.value)" }.sorted() == [
                "Authorization: Bearer t0k", "Idempotency-Key: 0f3c-212-click", "content-type: text/plain",
            ]
        )
        #expect(request.body == Array("Hall/1\"".utf8))
        #expect(hook.request(for: record, token: nil).headers.contains { $0.name == "authorization" })
    }

    @Test("A body of one's own is written as its type wants it")
    func bodies() {
        var record = record
        record.name = "a\"&b"
        func body(_ type: String?, _ text: String) -> String {
            let hook = Configuration.Webhook(url: "http://localhost", headers: type.map { ["Content-Type": $0] } ?? [:], body: text)
            return String(decoding: hook.request(for: record, token: nil).body, as: UTF8.self)
        }
        #expect(body(nil, #"{"n":"{name}"}"#) == #"{"n":"a\"&b"}"#)
        #expect(body("application/vnd.x+json", #"{"n":"{name}"}"#) == #"{"n":"a\"&b"}"#)
        #expect(body("application/x-www-form-urlencoded; charset=utf-8", "n={name}") == "n=a%22%26b")
        #expect(body("text/plain", "{name}") == "a\"&b")
    }

    @Test("The key is the same for one event, and only for presses")
    func keys() {
        var up = record
        up.event = "up"
        #expect(record.idempotencyKey == "0f3c-212-click" && up.idempotencyKey == "0f3c-212-up")
        var battery = EventRecord("battery")
        battery.uuid = "0f3c"
        #expect(battery.idempotencyKey == nil)
    }

    @Test(
        "Only https, or this computer, unless more is allowed",
        arguments: [
            ("https://example.org/x", true), ("http://localhost:8123/x", true), ("http://127.0.0.1/x", true), ("http://[::1]:1/x", true),
            ("http://example.org/x", false), ("http://192.168.1.2:8123/x", false), ("http://localhost.example.org", false),
        ]
    )
    func clearText(url: String, isAllowed: Bool) {
        #expect((Configuration.Webhook(url: url).problem == nil) == isAllowed)
        #expect(Configuration.Webhook(url: url, allowInsecure: true).problem == nil)
    }

    @Test(
        "What cannot become a request is told before it has to",
        arguments: ["ftp://x", "https://{name}/", "https://x/{nobody}", "https://x/a b", "https://u:p@x/"]
    )
    func problems(url: String) {
        #expect(Configuration.Webhook(url: url, allowInsecure: true).problem != nil)
        #expect(Configuration.Webhook(url: "https://x/{name}", headers: ["X": "{name}"]).problem == nil)
        #expect(Configuration.Webhook(url: "https://x/", headers: ["X": "a\nb"]).problem != nil)
        #expect(Configuration.Webhook(url: "https://x/", headers: ["Content-Length": "1"]).problem != nil)
    }
}
