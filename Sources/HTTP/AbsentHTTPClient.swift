#if !Webhooks
    package import EventLoops

    /// A client that refuses everything: the trait `Webhooks` is off.
    package actor HTTPClient: HTTPSending {
        /// Whether this build can do HTTP.
        package static let isAvailable = false

        package init(loop: DispatchLoop, certificates: String? = nil) {}

        package func send(_ request: HTTPRequest, timeout: Duration) async throws(HTTPError) -> HTTPAnswer {
            throw HTTPError(.unavailable)
        }

        package func stop() {}
    }
#endif

extension HTTPClient {
    /// How to get a build that can do HTTP.
    package static let refusal = "This build cannot call web hooks: build with '--traits Webhooks' (Debian: libcurl4-openssl-dev)."
}
