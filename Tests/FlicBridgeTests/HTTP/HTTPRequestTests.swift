import HTTP
import Testing

@Suite("HTTP: requests and whom they are for")
struct HTTPRequestTests {
    @Test(
        "Scheme, host and port are read in the one way that there is",
        arguments: [
            ("http://localhost", "http://localhost", true),
            ("HTTPS://Ha.Local:8123/api?x=1#y", "https://ha.local:8123", false),
            ("http://127.0.0.1:8123/", "http://127.0.0.1:8123", true),
            ("http://127.255.255.255", "http://127.255.255.255", true),
            ("http://[::1]:80", "http://[::1]:80", true),
            ("http://[fe80::1]/", "http://[fe80::1]", false),
            ("https://10.0.0.1?q", "https://10.0.0.1", false),
            ("http://127.0.0.1.example.org", "http://127.0.0.1.example.org", false),
            ("http://127.0.0.0x1", "http://127.0.0.0x1", false),
            ("http://127.0.0.01", "http://127.0.0.01", false),
            ("http://127.0.1", "http://127.0.1", false),
            ("http://localhost.example.org", "http://localhost.example.org", false),
            ("http://127.0.0.256", "http://127.0.0.256", false),
        ]
    )
    func origins(url: String, text: String, isLoopback: Bool) {
        let origin = HTTPOrigin(url)
        #expect(origin?.description == text)
        #expect(origin?.isLoopback == isLoopback)
    }

    @Test(
        "What could be read in two ways is no URL",
        arguments: [
            "", "localhost", "ftp://localhost", "http:/localhost", "http://", "http:///x", "http://localhost@example.org",
            "http://user:word@localhost",
            "http://localhost\\@example.org", "http://localhost:", "http://localhost:0", "http://localhost:65536", "http://localhost:+80",
            "http://localhost:080", "http://local host", "http://b\u{FC}cher.example", "http://[::1", "http://[]", "http://[::1]x",
            "http://%6cocalhost",
            "http://{name}/", "http://a\r\nHost: b/",
        ]
    )
    func noOrigin(url: String) {
        #expect(HTTPOrigin(url) == nil)
        #expect(HTTPRequest.problem(url: url) != nil)
        #expect(throws: HTTPError.self) { try HTTPRequest(method: .get, url: url).check() }
    }

    @Test("Characters that must be encoded, and lengths, are checked")
    func urls() {
        #expect(HTTPRequest.problem(url: "http://localhost/a%20b?c=d&e=%7B") == nil)
        for bad in [" ", "\"", "<", "{", "|", "\\", "^", "`", "\u{7F}", "\u{E9}", "\n"] {
            #expect(HTTPRequest.problem(url: "http://localhost/\(bad)") != nil, "\(bad)")
        }
        let longest = "http://localhost/" + String(repeating: "a", count: HTTPRequest.longestURL - 17)
        #expect(HTTPRequest.problem(url: longest) == nil)
        #expect(HTTPRequest.problem(url: longest + "a") != nil)
    }

    @Test("Headers cannot end the head, or say where the message ends")
    func headers() throws {
        #expect(HTTPRequest.problem(header: "X-Button", "Caf\u{E9}\tnorth") == nil)
        #expect(HTTPRequest.problem(header: "X-Empty", "") == nil)
        for name in ["", "X Button", "X:", "X\r\n", "\u{C9}", "Content-Length", "transfer-encoding", "HOST", "Expect"] {
            #expect(HTTPRequest.problem(header: name, "1") != nil, "\(name)")
        }
        for value in ["a\r\nb", "a\n", "\u{0}", "\u{7F}"] { #expect(HTTPRequest.problem(header: "X", value) != nil) }
        let many = [(name: "X", value: String(repeating: "a", count: HTTPRequest.longestHeaders - 5))]
        try HTTPRequest(method: .get, url: "http://localhost", headers: many).check()
        #expect(throws: HTTPError.self) { try HTTPRequest(method: .get, url: "http://localhost", headers: many + [("Y", "")]).check() }
    }

    @Test("A body has a bound")
    func body() throws {
        let longest = [UInt8](repeating: 0, count: HTTPRequest.longestBody)
        try HTTPRequest(method: .post, url: "http://localhost", body: longest).check()
        #expect(throws: HTTPError.self) { try HTTPRequest(method: .post, url: "http://localhost", body: longest + [0]).check() }
    }
}

#if !Webhooks
    import EventLoops

    @Suite("HTTP: without the trait")
    struct AbsentHTTPClientTests {
        @Test("It refuses, and says how to get it")
        func refuses() async {
            #expect(!HTTPClient.isAvailable)
            let client = HTTPClient(loop: DispatchLoop())
            let error = await #expect(throws: HTTPError.self) {
                try await client.send(HTTPRequest(method: .get, url: "http://localhost"), timeout: .seconds(1))
            }
            #expect(error?.code == .unavailable && error?.isPassing == false)
            #expect(error?.description == "This build cannot call web hooks: build with '--traits Webhooks' (Debian: libcurl4-openssl-dev).")
        }
    }
#endif
