/// The name that users gave a button, and when (protocol 9.1).
package struct StoredName: Sendable, Equatable {
    package static let maximumLength = 23

    /// UTF-8, at most 23 bytes; empty if none was given.
    package let text: [UInt8]
    /// Unix time of the rename in milliseconds.
    package let timestamp: UInt64

    /// - Parameter text: Cut between characters if it is too long.
    package init(_ text: [UInt8] = [], timestamp: UInt64 = 0) {
        self.timestamp = timestamp
        guard text.count > Self.maximumLength else {
            self.text = text
            return
        }
        var end = Self.maximumLength
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }  // never inside a character
        self.text = Array(text[..<end])
    }
}
