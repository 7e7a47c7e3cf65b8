package import HTTP

extension Configuration {
    /// A request to a web server.
    package struct Webhook: Sendable, Equatable {
        /// Absolute. `https`, or `http` to this machine; `http` to others only with ``allowInsecure``.
        package var url: String
        /// A GET has no body.
        package var method: HTTPRequest.Method
        /// Names are tokens, values have no control characters (RFC 9110, 5.5 and 5.6.2).
        package var headers: [String: String]
        /// What is sent; nil for the event as JSON.
        package var body: String?
        /// An absolute path; a bearer token is the first line of this file. nil sends none.
        package var tokenFile: String?
        /// For each try.
        package var timeout: Duration
        /// How often it is tried, 1 or more.
        package var tries: Int
        /// No further try when the event is older; nil tries at any age.
        package var maxAge: Duration?
        /// Whether events may go to other machines in clear text.
        package var allowInsecure: Bool

        package init(
            url: String,
            method: HTTPRequest.Method = .post,
            headers: [String: String] = [:],
            body: String? = nil,
            tokenFile: String? = nil,
            timeout: Duration = .seconds(5),
            tries: Int = 3,
            maxAge: Duration? = .seconds(60),
            allowInsecure: Bool = false
        ) {
            self.url = url
            self.method = method
            self.headers = headers
            self.body = body
            self.tokenFile = tokenFile
            self.timeout = timeout
            self.tries = tries
            self.maxAge = maxAge
            self.allowInsecure = allowInsecure
        }
    }
}
