import EventLoops
import Fixtures
import FlicSimulator
import Glibc
import Synchronization
import Testing

@testable import FlicBridge

@Suite("Metrics: requests")
struct MetricsRequestTests {
    private func answer(_ request: String) -> String? {
        MetricsRequest.answer(to: Array(request.utf8)) { "a 1\n# EOF\n" }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func status(_ request: String) -> String? { answer(request).map { String($0.prefix { $0 != "\r\n" }) } }

    @Test("What is asked for comes with its type and length")
    func answer() {
        #expect(
            answer("GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\nAccept: */*\r\n\r\n")
                == "HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\nContent-Length: 10\r\n"
                + "Connection: close\r\n\r\na 1\n# EOF\n"
        )
        for host in ["127.0.0.1:9464", "[::1]:9464", "LOCALHOST", "127.1.2.3"] {
            #expect(status("GET /metrics?x=1 HTTP/1.1\r\nhost:\t\(host) \r\n\r\n") == "HTTP/1.1 200 OK")
        }
        #expect(status("GET /metrics HTTP/1.0\r\n\r\n") == "HTTP/1.1 200 OK")
    }

    @Test("Anything else is refused")
    func refusals() {
        let host = "\r\nHost: localhost\r\n\r\n"
        #expect(status("GET / HTTP/1.1\(host)") == "HTTP/1.1 404 Not Found")
        #expect(status("GET /metrics/ HTTP/1.1\(host)") == "HTTP/1.1 404 Not Found")
        for method in ["HEAD", "POST", "get", "DELETE"] {
            let text = answer("\(method) /metrics HTTP/1.1\(host)")
            #expect(text?.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\n") == true && text?.contains("\r\nAllow: GET\r\n") == true)
        }
        for line in ["GET /metrics", "GET /metrics HTTP/2", "GET  /metrics HTTP/1.1", "", "\u{0}", "GET /metrics HTTP/1.1 x"] {
            #expect(status("\(line)\(host)") == "HTTP/1.1 400 Bad Request", "\(line)")
        }
        #expect(status("GET /metrics HTTP/1.1\r\n\r\n") == "HTTP/1.1 400 Bad Request")
        #expect(status("GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n") == "HTTP/1.1 400 Bad Request")
        for name in ["example.org", "localhost.example.org", "", "10.0.0.1", "user@localhost"] {
            #expect(status("GET /metrics HTTP/1.1\r\nHost: \(name)\r\n\r\n") == "HTTP/1.1 403 Forbidden", "\(name)")
        }
    }

    @Test("A request that is not complete is waited for, up to a bound")
    func length() {
        let start = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: "
        #expect(answer("") == nil && answer(start) == nil && answer(start + "\r\n\r") == nil)
        let padding = String(repeating: "x", count: MetricsRequest.longest - start.utf8.count - 1)
        #expect(answer(start + padding) == nil)
        #expect(status(start + padding + "x") == "HTTP/1.1 431 Request Header Fields Too Large")
    }

    @Test("No bytes make it fail")
    func hostile() {
        var random = Random(seed: 3)
        let request = Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        for _ in 0..<2000 {
            var bytes = request
            for _ in 0...random.next(4) {
                let index = random.next(bytes.count)
                switch random.next(3) {
                case 0: bytes[index] = UInt8(random.next(256))
                case 1: bytes.insert(contentsOf: random.bytes(random.next(9)), at: index)
                default: bytes.removeSubrange(index..<min(index + random.next(9), bytes.count))
                }
                if bytes.isEmpty { break }
            }
            let answer = MetricsRequest.answer(to: bytes) { "" }
            #expect(answer?.starts(with: Array("HTTP/1.1 ".utf8)) != false)
        }
    }
}

/// Over real sockets; what the server waits for takes no real time.
@Suite("Metrics: the server", .timeLimit(.minutes(1)))
struct MetricsServerTests {
    private let clock = VirtualLoop(label: "clock")
    private let server: MetricsServer
    /// More than the system keeps for somebody who does not read.
    private static let text = String(repeating: "a line of metrics\n", count: 400_000)

    init() {
        server = MetricsServer(loop: clock.makeLoop(label: "metrics"), text: { Self.text }, log: { _, _ in })
    }

    private func serve() async throws -> UInt16 {
        try await server.serve(at: 0)
        return try #require(await server.port)
    }

    private func ask(_ port: UInt16) throws -> String {
        let client = try #require(Descriptor.connected(to: port))
        try #require(client.write(Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)))
        return String(decoding: client.readAll(), as: UTF8.self)
    }

    @Test("All of it arrives, however long it is, and the connection ends")
    func serving() async throws {
        let port = try await serve()
        for _ in 0..<3 {
            let answer = try ask(port)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n" + Self.text))
        }
    }

    @Test("A request may come byte by byte, and in one piece with what should not follow")
    func pieces() async throws {
        let port = try await serve()
        let slow = try #require(Descriptor.connected(to: port))
        for byte in Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8) { #expect(slow.write([byte])) }
        #expect(slow.readAll().starts(with: Array("HTTP/1.1 200 OK".utf8)))
    }

    @Test(
        "Who sends half a request, or does not read, is cut off in the end",
        arguments: ["GET /met", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"]
    )
    func slow(request: String) async throws {
        let port = try await serve()
        let client = try #require(Descriptor.connected(to: port))
        var size: Int32 = 65_536
        setsockopt(client.number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
        try #require(client.write(Array(request.utf8)))
        // Another one gets its answer after this one was taken.
        #expect(try ask(port).hasPrefix("HTTP/1.1 200 OK"))
        await clock.advance(by: MetricsServer.patience)
        #expect(client.readAll().count < Self.text.utf8.count)
    }

    @Test("So many clients at a time, and no more")
    func crowd() async throws {
        let port = try await serve()
        var clients: [Descriptor] = []
        for _ in 0..<MetricsServer.mostClients { clients.append(try #require(Descriptor.connected(to: port))) }
        let late = try #require(Descriptor.connected(to: port))
        #expect(late.readAll().isEmpty)
        clients.removeLast()
        // The server sees it as soon as it can.
        while try !ask(port).hasPrefix("HTTP/1.1 200 OK") { await Task.yield() }
    }

    @Test("It listens on the loopback address, at the port that is asked for, until it is told otherwise")
    func ports() async throws {
        let port = try await serve()
        let other = MetricsServer(loop: clock.makeLoop(label: "other"), text: { "" }, log: { _, _ in })
        let problem = await #expect(throws: MetricsServer.Problem.self) { try await other.serve(at: port) }
        #expect(problem?.description == "Metrics cannot be served at port \(port): another program uses it.")
        #expect(await other.port == nil)
        let open = try #require(Descriptor.connected(to: port))
        try await server.serve(at: nil)
        #expect(open.readAll().isEmpty)
        #expect(Descriptor.connected(to: port) == nil)
        try await other.serve(at: port)
        #expect(try ask(port).hasPrefix("HTTP/1.1 200 OK"))
        await other.stop()
        await server.stop()
    }
}
