import Logs

extension String {
    /// Enough of a text from outside to recognise it, in one line.
    var excerpt: String {
        let start = prefix(64)
        return String(start).inOneLine + (start.endIndex == endIndex ? "" : "…")
    }
}
