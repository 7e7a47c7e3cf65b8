#if Webhooks
    import EventLoops
    import FoundationEssentials
    import Glibc
    import HTTP
    import Testing

    /// Beside a real TLS server with certificates of a minute's making.
    @Suite(
        "HTTPS: certificates",
        .enabled(if: TLSServer.isPossible, "openssl is not installed"),
        .timeLimit(.minutes(1))
    )
    struct HTTPSTests {
        @Test("A certificate is taken if its authority is trusted, and it is for this host")
        func certificates() async throws {
            let server = try TLSServer(names: "DNS:localhost,IP:127.0.0.1")
            let loop = DispatchLoop(label: "https")
            let request = HTTPRequest(method: .get, url: "https://127.0.0.1:\(server.port)/secret")
            let trusting = HTTPClient(loop: loop, certificates: server.certificate)
            #expect(try await trusting.send(request, timeout: .seconds(20)).status == 200)

            let usual = HTTPClient(loop: loop)
            let error = await #expect(throws: HTTPError.self) { try await usual.send(request, timeout: .seconds(20)) }
            #expect(error?.code == .certificate && error?.isPassing == false)
            #expect(error?.description.contains("secret") == false)
        }

        @Test("A certificate for another host is not taken")
        func otherHost() async throws {
            let server = try TLSServer(names: "DNS:example.org")
            let client = HTTPClient(loop: DispatchLoop(label: "https"), certificates: server.certificate)
            let error = await #expect(throws: HTTPError.self) {
                try await client.send(HTTPRequest(method: .get, url: "https://127.0.0.1:\(server.port)/"), timeout: .seconds(20))
            }
            #expect(error?.code == .certificate)
        }

        @Test("A server without TLS is none")
        func plain() async throws {
            let server = try LocalServer { _, _ in .answer("200 OK") }
            let client = HTTPClient(loop: DispatchLoop(label: "https"))
            let error = await #expect(throws: HTTPError.self) {
                try await client.send(HTTPRequest(method: .get, url: "https://127.0.0.1:\(server.port)/"), timeout: .milliseconds(500))
            }
            // As the server waits for the end of what it takes for a request.
            #expect(error?.code == .timedOut || error?.code == .tls)
        }

        @Test("Authorities that cannot be read are told")
        func noAuthorities() async throws {
            let server = try TLSServer(names: "IP:127.0.0.1")
            let client = HTTPClient(loop: DispatchLoop(label: "https"), certificates: "/nonexistent")
            let error = await #expect(throws: HTTPError.self) {
                try await client.send(HTTPRequest(method: .get, url: "https://127.0.0.1:\(server.port)/"), timeout: .seconds(20))
            }
            #expect(error?.code == .certificate)
        }
    }

    /// `openssl s_server`, with a certificate that is its own authority.
    private final class TLSServer {
        private static let openssl = "/usr/bin/openssl"
        static var isPossible: Bool { access(openssl, X_OK) == 0 }

        let port: UInt16
        let certificate: String
        private let directory: String
        private let process: pid_t

        init(names: String) throws {
            directory = "\(FileManager.default.temporaryDirectory.path)/flickit-tls-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let key = "\(directory)/key"
            certificate = "\(directory)/certificate"
            let maker = try Self.run(
                ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
                    + ["-subj", "/CN=flickit", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate]
            )
            waitpid(maker, nil, 0)
            // It was free a moment ago.
            port = try LocalServer { _, _ in .bytes([]) }.port
            process = try Self.run(["s_server", "-accept", "127.0.0.1:\(port)", "-key", key, "-cert", certificate, "-www"])
            while Descriptor.connected(to: port) == nil {
                guard waitpid(process, nil, WNOHANG) == 0 else { throw LocalServerError() }
                usleep(1000)
            }
        }

        deinit {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            try? FileManager.default.removeItem(atPath: directory)
        }

        private static func run(_ arguments: [String]) throws -> pid_t {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            for number: Int32 in 0...2 { posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0) }
            var words = ([openssl] + arguments).map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var process: pid_t = 0
            guard posix_spawn(&process, openssl, &actions, nil, &words, environ) == 0 else { throw LocalServerError() }
            return process
        }
    }
#endif
