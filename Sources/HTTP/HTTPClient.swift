#if Webhooks
    package import EventLoops

    /// Asks servers over HTTP and HTTPS, by libcurl.
    ///
    /// Certificates are checked, redirections not followed, proxies of the environment not used. What is sent and what comes is bounded in size and time.
    ///
    /// It is an actor on its loop: there is no thread, except for that of libcurl's resolver.
    package actor HTTPClient: HTTPSending {
        /// Whether this build can do HTTP.
        package static let isAvailable = true
        /// Requests that are under way at the same time.
        package static let mostAtOnce = 8
        /// Requests that wait for those; one more is refused.
        package static let mostWaiting = 64

        private struct Waiting {
            let number: UInt64
            let request: HTTPRequest
            let timeout: Duration
            let continuation: CheckedContinuation<Result<HTTPAnswer, HTTPError>, Never>
        }

        private let loop: DispatchLoop
        package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private let transfers: CurlTransfers
        private var lastNumber: UInt64 = 0
        private var waiting: [Waiting] = []
        private var running: [UInt64: CurlTransfers.ID] = [:]
        private var isStopped = false

        /// - Parameter certificates: The path of a file with the certificates of the authorities to trust, in place of the system's.
        package init(loop: DispatchLoop, certificates: String? = nil) {
            self.loop = loop
            transfers = CurlTransfers(on: loop, certificates: certificates)
        }

        package func send(_ request: HTTPRequest, timeout: Duration) async throws(HTTPError) -> HTTPAnswer {
            try request.check()
            lastNumber += 1
            let number = lastNumber
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<Result<HTTPAnswer, HTTPError>, Never>) in
                    guard !isStopped, !Task.isCancelled else { return continuation.resume(returning: .failure(HTTPError(.cancelled))) }
                    guard waiting.count < Self.mostWaiting else { return continuation.resume(returning: .failure(HTTPError(.busy))) }
                    waiting.append(Waiting(number: number, request: request, timeout: timeout, continuation: continuation))
                    beginWaiting()
                }
            } onCancel: {
                loop.execute { [weak self] in self?.assumeIsolated { $0.cancel(number) } }
            }
            return try result.get()
        }

        /// Ends all requests, which fail as cancelled. Later ones fail at once.
        package func stop() {
            isStopped = true
            for number in waiting.map(\.number) + running.keys { cancel(number) }
        }

        private func beginWaiting() {
            while running.count < Self.mostAtOnce, !waiting.isEmpty {
                let next = waiting.removeFirst()
                let id = transfers.begin(next.request, timeout: next.timeout) { [weak self] result in
                    next.continuation.resume(returning: result)
                    self?.assumeIsolated { $0.ended(next.number) }
                }
                if let id {
                    running[next.number] = id
                } else {
                    next.continuation.resume(returning: .failure(HTTPError(.failed, detail: "libcurl cannot begin")))
                }
            }
        }

        private func ended(_ number: UInt64) {
            running[number] = nil
            beginWaiting()
        }

        private func cancel(_ number: UInt64) {
            if let id = running[number] { return transfers.cancel(id) }
            guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
            waiting.remove(at: index).continuation.resume(returning: .failure(HTTPError(.cancelled)))
        }
    }
#endif
