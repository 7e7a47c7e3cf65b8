#if Webhooks
    import EventLoops
    import Glibc
    import HTTP
    import Testing

    /// Over real sockets, and so in real time: what is waited for is an end, not a time.
    @Suite("HTTP: a client and servers of all kinds", .timeLimit(.minutes(1)))
    struct HTTPClientTests {
        private let loop = DispatchLoop(label: "http")
        private let client: HTTPClient

        init() { client = HTTPClient(loop: loop) }

        private func get(_ url: String, timeout: Duration = .seconds(20)) async throws(HTTPError) -> HTTPAnswer {
            try await client.send(HTTPRequest(method: .get, url: url), timeout: timeout)
        }

        private func failure(_ url: String, timeout: Duration = .seconds(20)) async -> HTTPError? {
            await #expect(throws: HTTPError.self) { try await get(url, timeout: timeout) }
        }

        @Test("A request arrives as it was meant, and so does the answer")
        func exchange() async throws {
            let server = try LocalServer { _, _ in .answer("201 Created", headers: ["Retry-After: 7"], body: Array("done".utf8)) }
            let body = Array("{\"event\":\"click\"}\u{0}\n".utf8)
            let request = HTTPRequest(
                method: .post,
                url: server.url + "/api/hook?x=%20y",
                headers: [("Content-Type", "application/json"), ("X-Name", "Caf\u{E9}"), ("X-Empty", "")],
                body: body
            )
            let answer = try await client.send(request, timeout: .seconds(20))
            #expect(answer == HTTPAnswer(status: 201, body: Array("done".utf8), retryAfter: .seconds(7)))
            let told = try #require(server.requests.first)
            #expect(told.method == "POST" && told.target == "/api/hook?x=%20y" && told.body == body)
            #expect(told.headers["content-type"] == "application/json" && told.headers["x-name"] == "Caf\u{E9}" && told.headers["x-empty"] == "")
            #expect(told.headers["host"] == "127.0.0.1:\(server.port)" && told.headers["user-agent"] == "flickit")
            #expect(told.headers["expect"] == nil && told.headers["transfer-encoding"] == nil)
        }

        @Test("Bodies without bytes, and the longest, arrive", arguments: [0, HTTPRequest.longestBody])
        func bodies(size: Int) async throws {
            let server = try LocalServer { _, _ in .answer("204 No Content") }
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            let answer = try await client.send(HTTPRequest(method: .post, url: server.url, body: body), timeout: .seconds(20))
            #expect(answer == HTTPAnswer(status: 204))
            #expect(server.requests.first?.headers["content-length"] == "\(size)")
            #expect(server.requests.first?.body == body)
        }

        @Test("One connection serves requests that follow each other")
        func reuse() async throws {
            let server = try LocalServer { _, _ in .answer("200 OK") }
            for _ in 0..<5 { #expect(try await get(server.url).status == 200) }
            #expect(server.connections == 1)
        }

        @Test("A status is an answer, and a redirection not followed", arguments: [302, 404, 429, 500, 503])
        func status(_ status: Int) async throws {
            let server = try LocalServer { request, _ in
                request.target == "/" ? .answer("\(status) Whatever", headers: ["Location: /other"]) : .answer("200 OK")
            }
            #expect(try await get(server.url + "/").status == status)
            #expect(server.requests.count == 1)
        }

        @Test("A server that is silent, and one that stops in the middle, end by the time-out")
        func hanging() async throws {
            for bytes in ["", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"] {
                let server = try LocalServer { _, _ in .hang(Array(bytes.utf8)) }
                let error = await failure(server.url, timeout: .milliseconds(300))
                #expect(error?.code == .timedOut && error?.isPassing == true)
                // The connection does not stay open.
                for await _ in server.abandoned { break }
            }
        }

        @Test("A server that ends early has not answered")
        func closing() async throws {
            for bytes in ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"] {
                let server = try LocalServer { _, _ in .bytes(Array(bytes.utf8)) }
                let error = await failure(server.url)
                #expect(error?.code == .connectionLost && error?.isPassing == true)
            }
        }

        @Test(
            "Garbage is no answer",
            arguments: ["\u{0}\u{1}\u{2} garbage\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n"]
        )
        func garbage(_ text: String) async throws {
            let server = try LocalServer { _, _ in .bytes(Array(text.utf8)) }
            let error = await failure(server.url)
            #expect(error?.code == .invalidAnswer && error?.isPassing == false)
        }

        @Test("Answers have a bound, head and body, whatever length they claim")
        func large() async throws {
            let fitting = try LocalServer { _, _ in .answer("200 OK", body: [UInt8](repeating: 1, count: HTTPAnswer.longestBody)) }
            #expect(try await get(fitting.url).body.count == HTTPAnswer.longestBody)
            let head = "HTTP/1.1 200 OK\r\n"
            for reply in [
                LocalServer.Reply.answer("200 OK", body: [UInt8](repeating: 1, count: HTTPAnswer.longestBody + 1)),
                .bytes(Array("\(head)\r\n".utf8) + [UInt8](repeating: 1, count: HTTPAnswer.longestBody + 1)),
                .bytes(Array((head + String(repeating: "X-Line: \(String(repeating: "y", count: 1000))\r\n", count: 100) + "\r\n").utf8)),
            ] {
                let server = try LocalServer { _, _ in reply }
                let error = await failure(server.url)
                #expect(error?.code == .tooLarge && error?.isPassing == false)
            }
            for line in ["X: y\r\n", "X", "\r\n" + String(repeating: "y", count: 1000)] {
                let endless = try LocalServer { _, _ in .flood(Array(head.utf8), Array(line.utf8)) }
                let error = await failure(endless.url)
                #expect(error?.code == .tooLarge, "\(line): \(error)")
                for await _ in endless.abandoned { break }
            }
        }

        @Test("What is wrong with a server is named")
        func names() async throws {
            let unresolvable = await failure("http://no-such-host.invalid/secret")
            #expect(unresolvable?.code == .unresolvable && unresolvable?.isPassing == true)
            #expect(unresolvable?.description.contains("secret") == false)
            // A port that was free a moment ago.
            let port = try LocalServer { _, _ in .answer("200 OK") }.port
            let refused = await failure("http://127.0.0.1:\(port)/secret")
            #expect(refused?.code == .refused && refused?.isPassing == true)
            #expect(refused?.description.contains("secret") == false)
        }

        @Test("Other protocols, and requests that could be two, are not sent")
        func invalid() async throws {
            #expect(await failure("file:///etc/passwd")?.code == .invalidRequest)
            let server = try LocalServer { _, _ in .answer("200 OK") }
            let error = await #expect(throws: HTTPError.self) {
                try await client.send(HTTPRequest(method: .get, url: server.url, headers: [("X", "a\r\nY: b")]), timeout: .seconds(20))
            }
            #expect(error?.code == .invalidRequest && server.connections == 0)
        }

        @Test("A task that is cancelled gets its answer at once, and the server sees it")
        func cancelled() async throws {
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let server = try LocalServer { _, _ in
                arrived.yield()
                return .hang()
            }
            let task = Task { try await client.send(HTTPRequest(method: .get, url: server.url), timeout: .seconds(3600)) }
            for await _ in arrivals { break }
            task.cancel()
            let result = await task.result
            #expect(throws: HTTPError(.cancelled)) { try result.get() }
            for await _ in server.abandoned { break }
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.send(HTTPRequest(method: .get, url: server.url), timeout: .seconds(3600))
            }
            let lateResult = await late.result
            #expect(throws: HTTPError(.cancelled)) { try lateResult.get() }
        }

        @Test("So many requests are under way, so many wait, and no more")
        func crowd() async throws {
            let server = try LocalServer { _, _ in .hang() }
            let total = HTTPClient.mostAtOnce + HTTPClient.mostWaiting + 3
            await withTaskGroup(of: HTTPError.Code?.self) { group in
                for _ in 0..<total { group.addTask { await failure(server.url, timeout: .seconds(3600))?.code } }
                var codes: [HTTPError.Code] = []
                for await code in group {
                    if let code { codes.append(code) }
                    if codes.count == 3 {
                        #expect(codes.allSatisfy { $0 == .busy })
                        await client.stop()
                    }
                }
                #expect(codes.dropFirst(3).allSatisfy { $0 == .cancelled })
                #expect(codes.count == total)
            }
            #expect(server.connections <= HTTPClient.mostAtOnce)
            #expect(await failure(server.url)?.code == .cancelled)
        }

        @Test("A client that waits serves others once there is room, in order")
        func queue() async throws {
            let server = try LocalServer { _, _ in .answer("200 OK") }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await get(server.url).status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.requests.count == 50 && server.connections <= HTTPClient.mostAtOnce)
        }

        @Test("No descriptor is left open")
        func descriptors() async throws {
            let server = try LocalServer { _, number in number % 2 == 0 ? .answer("200 OK") : .bytes([]) }
            do {
                let client = HTTPClient(loop: DispatchLoop(label: "leak"))
                for _ in 0..<20 { _ = try? await client.send(HTTPRequest(method: .get, url: server.url), timeout: .seconds(20)) }
                #expect(server.requests.count >= 20)
            }
            // Sources that were cancelled close theirs a moment later.
            while Self.descriptors(connectedTo: server.port) > 0 { await Task.yield() }
        }

        private static func descriptors(connectedTo port: UInt16) -> Int {
            (0..<1024).count { number in
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout.size(ofValue: address))
                let result = withUnsafeMutableBytes(of: &address) {
                    getpeername(Int32(number), $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
                }
                return result == 0 && address.sin_family == sa_family_t(AF_INET) && address.sin_port == port.bigEndian
            }
        }
    }
#endif
