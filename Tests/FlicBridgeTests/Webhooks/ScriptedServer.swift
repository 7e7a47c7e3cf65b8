import EventLoops
import FlicSimulator
import HTTP

/// Answers requests as it is told to, on virtual time; 200 when it is told nothing.
actor ScriptedServer: HTTPSending {
    struct Arrival: Equatable {
        let time: Duration
        let request: HTTPRequest
    }

    private let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var script: [Result<HTTPAnswer, HTTPError>]
    private let takes: Duration
    private(set) var arrivals: [Arrival] = []
    /// Requests at the same time.
    private var present = 0
    private(set) var mostPresent = 0

    /// - Parameter takes: From a request to its answer.
    init(loop: any EventLoop, takes: Duration = .zero, _ script: [Result<HTTPAnswer, HTTPError>] = []) {
        self.loop = loop
        self.takes = takes
        self.script = script
    }

    /// An answer with this status.
    static func status(_ status: Int) -> Result<HTTPAnswer, HTTPError> { .success(HTTPAnswer(status: status)) }

    var times: [Duration] { arrivals.map(\.time) }

    var events: [String] { arrivals.compactMap { $0.request.headers.first { $0.name == "Idempotency-Key" }?.value } }

    func send(_ request: HTTPRequest, timeout: Duration) async throws(HTTPError) -> HTTPAnswer {
        arrivals.append(Arrival(time: loop.now, request: request))
        let result = script.isEmpty ? Self.status(200) : script.removeFirst()
        present += 1
        mostPresent = max(mostPresent, present)
        await loop.pause(for: min(takes, timeout))
        present -= 1
        if Task.isCancelled { throw HTTPError(.cancelled) }
        if takes > timeout { throw HTTPError(.timedOut) }
        return try result.get()
    }
}
