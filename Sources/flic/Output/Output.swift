/// Where the program writes, a line at a time.
struct Output: Sendable {
    /// Whether text may be coloured.
    var hasColour = false
    /// Takes a result.
    let print: @Sendable (String) -> Void
    /// Takes everything else: errors, remarks, logs.
    let printError: @Sendable (String) -> Void

    enum Style: String {
        case plain = ""
        case dim = "2"
        case bold = "1"
        case good = "32"
        case bad = "31"
    }

    func styled(_ text: String, _ style: Style) -> String {
        hasColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
