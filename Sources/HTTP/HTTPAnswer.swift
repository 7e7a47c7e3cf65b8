/// What a server has answered.
package struct HTTPAnswer: Sendable, Equatable {
    /// As in RFC 9110, 15: 100 to 999.
    package let status: Int
    /// At most ``longestBody`` bytes.
    package let body: [UInt8]
    /// How long the server asks to be left alone (`Retry-After`, RFC 9110, 10.2.3); nil if it does not.
    package let retryAfter: Duration?

    /// Longer bodies are an error.
    package static let longestBody = 64 << 10

    package init(status: Int, body: [UInt8] = [], retryAfter: Duration? = nil) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
    }
}
