/// Where the program writes, a line at a time.
package struct Output: Sendable {
    /// Whether text may be coloured.
    package var hasColour = false
    /// Takes a result.
    package let print: @Sendable (String) -> Void
    /// Takes everything else: errors, remarks, logs.
    package let printError: @Sendable (String) -> Void
    /// Shows a line that the next one replaces, until it is empty; nil where there is no terminal to show it. Nothing else is to be written meanwhile.
    package var showStatus: (@Sendable (String) -> Void)?

    package init(hasColour: Bool = false, print: @escaping @Sendable (String) -> Void, printError: @escaping @Sendable (String) -> Void) {
        self.hasColour = hasColour
        self.print = print
        self.printError = printError
    }

    package enum Style: String {
        case plain = ""
        case dim = "2"
        case bold = "1"
        case good = "32"
        case bad = "31"
    }

    package func styled(_ text: String, _ style: Style) -> String {
        hasColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
