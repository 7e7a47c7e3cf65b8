extension HTTPRequest {
    /// In bytes.
    package static let longestURL = 8 << 10
    /// Of all headers together, in bytes.
    package static let longestHeaders = 16 << 10
    /// In bytes.
    package static let longestBody = 1 << 20

    /// Headers that say where the message ends: they are not for callers.
    private static let framing: Set<String> = ["connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding", "upgrade"]

    /// - Throws: ``HTTPError`` `invalidRequest` that says what could be taken for something else on the way.
    package func check() throws(HTTPError) {
        if let problem = Self.problem(url: url) ?? headers.lazy.compactMap({ Self.problem(header: $0.name, $0.value) }).first {
            throw HTTPError(.invalidRequest, detail: problem)
        }
        let size = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if size > Self.longestHeaders { throw HTTPError(.invalidRequest, detail: "the headers are longer than \(Self.longestHeaders) bytes") }
        if body.count > Self.longestBody { throw HTTPError(.invalidRequest, detail: "the body is longer than \(Self.longestBody) bytes") }
    }

    /// What is wrong with a URL; nil if nothing is.
    package static func problem(url: String) -> String? {
        guard url.utf8.count <= longestURL else { return "the URL is longer than \(longestURL) bytes" }
        guard HTTPOrigin(url) != nil else { return "the URL does not begin with http:// or https:// and a host" }
        guard url.utf8.allSatisfy(isURLByte) else { return "the URL has characters that must be percent-encoded" }
        return nil
    }

    /// What is wrong with a header; nil if nothing is.
    package static func problem(header name: String, _ value: String) -> String? {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else { return "a header has no valid name" }
        guard !framing.contains(name.lowercased()) else { return "the header \(name) is set by the program itself" }
        guard value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else { return "the header \(name) has control characters" }
        return nil
    }

    /// RFC 3986, 2.
    private static func isURLByte(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte) }

    /// RFC 9110, 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: false
        }
    }
}
