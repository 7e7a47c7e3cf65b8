import FlicClient

extension TriggerMode {
    /// As people and programs write it: `click`, `hold`, `double` and `all`.
    package var name: String {
        switch self {
        case .click: "click"
        case .clickAndHold: "hold"
        case .clickAndDoubleClick: "double"
        case .clickAndDoubleClickAndHold: "all"
        }
    }

    /// All names, in order.
    package static let names = ["click", "hold", "double", "all"]

    /// Nil if no mode has this name.
    package init?(name: String) {
        guard let mode = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = mode
    }
}
