import HTTP

/// A request for metrics, as little of HTTP/1.1 as that takes (RFC 9112): the method GET and the path `/metrics`.
enum MetricsRequest {
    /// Longer ones are refused, in bytes.
    static let longest = 8 << 10

    /// The whole answer, after which the connection ends.
    ///
    /// - Parameters:
    ///   - bytes: What has come.
    ///   - text: The metrics. Asked for only if they are the answer.
    /// - Returns: Nil as long as more has to come.
    static func answer(to bytes: [UInt8], text: () -> String) -> [UInt8]? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound else {
            return bytes.count < longest ? nil : answer("431 Request Header Fields Too Large")
        }
        // Header fields and request lines are ASCII; other bytes stand for themselves here, and match nothing.
        let lines = bytes[..<end].split(separator: UInt8(ascii: "\r"), omittingEmptySubsequences: false)
            .map { String(decoding: $0.first == UInt8(ascii: "\n") ? $0.dropFirst() : $0, as: UTF8.self) }
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else { return answer("400 Bad Request") }
        let hosts = lines.dropFirst().compactMap(host)
        guard hosts.count == 1 || hosts.isEmpty && words[2] == "HTTP/1.0" else { return answer("400 Bad Request") }
        // A page in a browser that gives a name of its own to this computer is not to read it.
        guard hosts.allSatisfy({ HTTPOrigin("http://\($0)")?.isLoopback == true }) else { return answer("403 Forbidden") }
        guard words[1].prefix(while: { $0 != "?" }) == "/metrics" else { return answer("404 Not Found") }
        guard words[0] == "GET" else { return answer("405 Method Not Allowed", headers: ["Allow: GET"]) }
        return answer("200 OK", type: MetricFamily.contentType, body: text())
    }

    private static func host(_ line: String) -> String? {
        guard line.prefix(5).lowercased() == "host:" else { return nil }
        return String(line.dropFirst(5).drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    private static func answer(_ status: String, type: String = "text/plain; charset=utf-8", headers: [String] = [], body: String? = nil) -> [UInt8] {
        let body = Array((body ?? "\(status)\n").utf8)
        let lines = ["HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.count)", "Connection: close"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}
