#if Webhooks
    import EventLoops
    import FlicBridge
    import HTTP
    import Testing

    /// Over real sockets, and so in real time.
    @Suite("Web hooks: delivered to a server", .timeLimit(.minutes(1)))
    struct WebhookDeliveryTests {
        @Test("A press arrives at the third try, once, as JSON")
        func delivery() async throws {
            let server = try LocalServer { _, number in
                switch number {
                case 0: .answer("500 Internal Server Error")
                case 1: .bytes([])
                default: .answer("200 OK")
                }
            }
            let loop = DispatchLoop(label: "hooks")
            let runner = WebhookRunner(loop: loop, client: HTTPClient(loop: loop), random: { _ in 0.01 }, log: { _, _ in })
            var record = EventRecord("doubleClick")
            record.uuid = "0f3c"
            record.count = 212
            let outcome = await runner.send(Configuration.Webhook(url: server.url + "/hook/{event}", tries: 3), for: record)
            #expect(outcome == .delivered)
            #expect(server.requests.map(\.target) == ["/hook/doubleClick", "/hook/doubleClick", "/hook/doubleClick"])
            #expect(server.requests.allSatisfy { $0.headers["idempotency-key"] == "0f3c-212-doubleClick" })
            #expect(server.requests.last?.body == Array(#"{"count":212,"event":"doubleClick","uuid":"0f3c"}"#.utf8))
        }
    }
#endif
