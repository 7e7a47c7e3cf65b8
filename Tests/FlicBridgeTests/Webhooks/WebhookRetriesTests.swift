import EventLoops
import HTTP
import Testing

@testable import FlicBridge

@Suite("Web hooks: what follows a try")
struct WebhookRetriesTests {
    private let retries = WebhookRetries(tries: 3, maxAge: .seconds(60))

    private func step(
        _ result: Result<HTTPAnswer, HTTPError>,
        number: Int = 1,
        age: Duration = .zero,
        stretch: Double = 1
    ) -> WebhookRetries.Step {
        retries.step(after: result, number: number, age: age, stretch: stretch)
    }

    private func status(_ status: Int, retryAfter: Duration? = nil) -> Result<HTTPAnswer, HTTPError> {
        .success(HTTPAnswer(status: status, retryAfter: retryAfter))
    }

    @Test("Any 2xx is a delivery", arguments: [200, 201, 202, 204, 299])
    func delivered(_ status: Int) { #expect(step(self.status(status), number: 3, age: .seconds(3600)) == .delivered) }

    @Test("What the server could not do is tried again, as is what did not reach it", arguments: [500, 502, 503, 504, 599])
    func servers(_ status: Int) { #expect(step(self.status(status)) == .again(after: .milliseconds(500))) }

    @Test(
        "What did not reach the server is tried again",
        arguments: [HTTPError.Code.unresolvable, .refused, .unreachable, .timedOut, .connectionLost]
    )
    func connections(_ code: HTTPError.Code) { #expect(step(.failure(HTTPError(code))) == .again(after: .milliseconds(500))) }

    @Test("What would not go better is not tried again", arguments: [100, 199, 300, 302, 400, 401, 403, 404, 408, 410, 429, 499, 600])
    func refusals(_ status: Int) {
        let text = "answered \(status)" + (300..<400 ~= status ? ", and redirections are not followed" : "")
        #expect(step(self.status(status)) == .failed(text))
    }

    @Test(
        "Nor is what is wrong at this end, or with the certificate",
        arguments: [HTTPError.Code.invalidRequest, .certificate, .tls, .tooLarge, .invalidAnswer]
    )
    func errors(_ code: HTTPError.Code) { #expect(step(.failure(HTTPError(code, detail: "why"))) == .failed("\(HTTPError(code, detail: "why"))")) }

    @Test("Pauses double up to half a minute, and are stretched")
    func pauses() {
        let many = WebhookRetries(tries: 100, maxAge: nil)
        func pause(_ number: Int, _ stretch: Double = 1) -> WebhookRetries.Step {
            many.step(after: status(500), number: number, age: .seconds(100_000), stretch: stretch)
        }
        #expect([1, 2, 3, 4, 6, 7, 50].map { pause($0) } == [0.5, 1, 2, 4, 16, 30, 30].map { .again(after: .seconds($0)) })
        #expect(pause(2, 1.25) == .again(after: .milliseconds(1250)) && pause(2, 0.75) == .again(after: .milliseconds(750)))
    }

    @Test("A wish for a pause is respected, within reason")
    func wishes() {
        #expect(step(status(429, retryAfter: .seconds(5))) == .again(after: .seconds(5)))
        #expect(step(status(503, retryAfter: .seconds(5))) == .again(after: .seconds(5)))
        #expect(step(status(503, retryAfter: .milliseconds(1))) == .again(after: .milliseconds(500)))
        #expect(step(status(404, retryAfter: .seconds(5))) == .failed("answered 404"))
        let patient = WebhookRetries(tries: 3, maxAge: nil)
        #expect(patient.step(after: status(429, retryAfter: .seconds(60)), number: 1, age: .zero, stretch: 1) == .again(after: .seconds(60)))
        #expect(
            patient.step(after: status(429, retryAfter: .seconds(61)), number: 1, age: .zero, stretch: 1)
                == .failed("answered 429, and asks for a pause of 61.0 s")
        )
    }

    @Test("So many tries, and no more")
    func tries() {
        #expect(step(status(500), number: 2) == .again(after: .seconds(1)))
        #expect(step(status(500), number: 3) == .failed("answered 500, 3 times tried"))
        let once = WebhookRetries(tries: 1, maxAge: nil)
        #expect(once.step(after: status(500), number: 1, age: .zero, stretch: 1) == .failed("answered 500"))
    }

    @Test("No try comes when the event is too old")
    func age() {
        #expect(step(status(500), age: .milliseconds(59_500)) == .again(after: .milliseconds(500)))
        #expect(step(status(500), age: .milliseconds(59_501)) == .failed("answered 500, and another try would come too late"))
    }
}
