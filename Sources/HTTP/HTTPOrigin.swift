/// Whom a URL means: its scheme, host and port. It is what logs may tell of a URL, as paths and queries may hold secrets.
package struct HTTPOrigin: Sendable, Equatable, CustomStringConvertible {
    package let isSecure: Bool
    /// In lower case; an IPv6 address in brackets.
    package let host: String
    /// Nil for the usual one.
    package let port: UInt16?

    /// Nil if the URL is not of HTTP, or has a user name, a host or a port that could be read in two ways.
    package init?(_ url: String) {
        let lowercased = url.prefix(8).lowercased()
        let rest: Substring
        if lowercased.hasPrefix("https://") {
            isSecure = true
            rest = url.dropFirst(8)
        } else if lowercased.hasPrefix("http://") {
            isSecure = false
            rest = url.dropFirst(7)
        } else {
            return nil
        }
        let authority = rest.prefix { !"/?#".contains($0) }
        let host: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[...end]
            guard host.count > 2, host.dropFirst().dropLast().utf8.allSatisfy("0123456789abcdefABCDEF:.".utf8.contains) else { return nil }
        } else {
            host = authority.prefix { $0 != ":" }
            guard !host.isEmpty, host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }) else { return nil }
        }
        self.host = host.lowercased()
        let end = authority[host.endIndex...]
        if end.isEmpty {
            port = nil
        } else {
            guard end.hasPrefix(":"), let port = Self.number(end.dropFirst()), port > 0 else { return nil }
            self.port = port
        }
    }

    /// Whether it is this computer, whatever its resolver says.
    package var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { Self.number($0).map { $0 < 256 } ?? false }
    }

    /// A decimal number without a sign, and without zeros in front, which would make it octal for some.
    private static func number(_ text: Substring) -> UInt16? {
        guard text.utf8.allSatisfy("0123456789".utf8.contains), text == "0" || !text.hasPrefix("0") else { return nil }
        return UInt16(text)
    }

    package var description: String { "\(isSecure ? "https" : "http")://\(host)\(port.map { ":\($0)" } ?? "")" }
}
