import Logs

extension String {
    /// Enough of a text from outside to recognise it, in one line.
    var excerpt: String {
        // Of scalars: a character of many can be of any length.
        let start = unicodeScalars.prefix(64)
        return String(String.UnicodeScalarView(start)).inOneLine + (start.endIndex == endIndex ? "" : "…")
    }
}
