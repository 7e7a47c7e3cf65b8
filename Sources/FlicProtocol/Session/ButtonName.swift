/// The name that all apps share through the button: UTF-8, at most 23 bytes (protocol 9.1).
package struct ButtonName: Hashable, Sendable {
    package static let largestByteCount = 23

    package let text: String

    /// Cuts a longer text between Unicode scalars, never inside a UTF-8 sequence.
    package init(_ text: String) {
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= Self.largestByteCount else { break }
            scalars.append(scalar)
        }
        self.text = String(scalars)
    }

    /// As received: invalid bytes become U+FFFD, and what is then beyond the limit is cut off.
    package init(received bytes: some Collection<UInt8>) {
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    package var bytes: [UInt8] { Array(text.utf8) }
    package var isEmpty: Bool { text.isEmpty }
}

/// A change of name by this app that the button has not confirmed.
package struct Rename: Hashable, Sendable {
    package var name: ButtonName
    /// When it was made: milliseconds of Unix time, 47 bits on the wire. The newest rename of all apps wins.
    package var timestamp: UInt64

    package init(name: ButtonName, timestamp: UInt64) {
        self.name = name
        self.timestamp = timestamp
    }
}
