/// As much of XML as is needed to see that a document is well formed.
enum XMLCheck {
    /// The opening tags with their attributes; nil if tags don't close each other, or if there is anything but tags.
    static func elements(of document: String) -> [String]? {
        var open: [Substring] = []
        var elements: [String] = []
        var rest = document[...]
        while let start = rest.firstIndex(of: "<") {
            guard rest[..<start].allSatisfy(\.isWhitespace) else { return nil }
            rest = rest[start...].dropFirst()
            // A tag ends at the first > outside quotes.
            var isQuoted = false
            guard
                let end = rest.firstIndex(where: { character in
                    if character == "\"" { isQuoted.toggle() }
                    return character == ">" && !isQuoted
                })
            else { return nil }
            let tag = rest[..<end]
            rest = rest[end...].dropFirst()
            if tag.hasPrefix("!DOCTYPE") { continue }
            guard !tag.dropFirst().contains("<") else { return nil }
            if tag.hasPrefix("/") {
                guard open.popLast() == tag.dropFirst() else { return nil }
                continue
            }
            if !tag.hasSuffix("/") { open.append(tag.prefix { $0 != " " }) }
            elements.append(String(tag.hasSuffix("/") ? tag.dropLast() : tag))
        }
        return open.isEmpty && rest.allSatisfy(\.isWhitespace) ? elements : nil
    }
}
