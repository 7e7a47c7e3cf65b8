import EventLoops
import HTTP

/// What follows each try of a web hook.
///
/// Tried again is what did not reach the server (``HTTPError/isPassing``), what it could not do (500 to 599), and what it asks to have again later (429
/// with `Retry-After`), as long as there are tries left and the event is not too old by then. Pauses grow, and differ so that what failed together is not
/// tried again together.
struct WebhookRetries {
    static let pauses: ClosedRange<Duration> = .milliseconds(500)...(.seconds(30))
    /// A server that asks for a longer pause is not tried again.
    static let longestPause = Duration.seconds(60)

    /// How often it is tried altogether.
    let tries: Int
    /// The age at which an event is of no use any more; nil for never.
    let maxAge: Duration?

    enum Step: Equatable {
        case delivered
        case again(after: Duration)
        /// With the reason.
        case failed(String)
    }

    /// - Parameters:
    ///   - number: That of the try, from 1.
    ///   - age: Of the event, now.
    ///   - stretch: What a pause is multiplied by, to be different from others.
    func step(after result: Result<HTTPAnswer, HTTPError>, number: Int, age: Duration, stretch: Double) -> Step {
        let problem: String
        var wish: Duration?
        switch result {
        case .success(let answer) where 200..<300 ~= answer.status: return .delivered
        case .success(let answer):
            problem = "answered \(answer.status)"
            guard 500..<600 ~= answer.status || answer.status == 429 && answer.retryAfter != nil else {
                return .failed(300..<400 ~= answer.status ? "\(problem), and redirections are not followed" : problem)
            }
            wish = answer.retryAfter
        case .failure(let error):
            problem = error.description
            guard error.isPassing else { return .failed(problem) }
        }
        guard number < tries else { return .failed(tries > 1 ? "\(problem), \(tries) times tried" : problem) }
        if let wish, wish > Self.longestPause { return .failed("\(problem), and asks for a pause of \(wish / .seconds(1)) s") }
        let pause = max(Self.pauses.backOff(after: number) * stretch, wish ?? .zero)
        if let maxAge, age + pause > maxAge { return .failed("\(problem), and another try would come too late") }
        return .again(after: pause)
    }
}
