/// Why there is no answer of a server.
package struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// This build cannot do HTTP.
        case unavailable
        /// What was asked for is not a valid request.
        case invalidRequest
        /// Too many requests wait already.
        case busy
        /// The task was cancelled, or the client stopped.
        case cancelled
        /// The name of the host is not known.
        case unresolvable
        /// Nobody listens there.
        case refused
        /// There is no way to the host.
        case unreachable
        /// The whole took too long.
        case timedOut
        /// The certificate of the server is not valid, or not for this host.
        case certificate
        /// TLS did not come about for another reason.
        case tls
        /// The connection ended before the answer did.
        case connectionLost
        /// What came is not HTTP.
        case invalidAnswer
        /// The answer is longer than is taken.
        case tooLarge
        /// Anything else.
        case failed
    }

    package let code: Code
    /// The words of the layer below. The path of the URL, headers and bodies, which may hold secrets, are not among them.
    package let detail: String

    package init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Whether the server may not have been reached, or not have done anything: another attempt may go better.
    package var isPassing: Bool {
        switch code {
        case .busy, .unresolvable, .refused, .unreachable, .timedOut, .connectionLost: true
        case .unavailable, .invalidRequest, .cancelled, .certificate, .tls, .invalidAnswer, .tooLarge, .failed: false
        }
    }

    package var description: String {
        let words =
            switch code {
            case .unavailable: HTTPClient.refusal
            case .invalidRequest: "the request is not valid"
            case .busy: "too many requests are under way"
            case .cancelled: "cancelled"
            case .unresolvable: "the host is not known"
            case .refused: "the connection was refused"
            case .unreachable: "the host cannot be reached"
            case .timedOut: "no answer in time"
            case .certificate: "the certificate is not valid"
            case .tls: "no secure connection"
            case .connectionLost: "the connection was lost"
            case .invalidAnswer: "the answer is not HTTP"
            case .tooLarge: "the answer is too long"
            case .failed: "the request failed"
            }
        return detail.isEmpty ? words : "\(words) (\(detail))"
    }
}
