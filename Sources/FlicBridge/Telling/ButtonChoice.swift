package import FlicClient
import FoundationEssentials

/// Finds the button that somebody means.
package struct ButtonChoice {
    package let buttons: [ButtonInfo]

    package init(buttons: [ButtonInfo]) {
        self.buttons = buttons
    }

    /// Why nobody is meant.
    package enum Problem: Error, Equatable {
        /// Several, with these serial numbers.
        case ambiguous(String, [String])
        case unknown(String)
    }

    package static let operandSummary = "Name, serial number, address, uuid or identifier of a paired button, or how it begins."

    /// The one button whose name, serial number, address, uuid or identifier is `text`, or else begins with it; in either case of letters.
    package func button(_ text: String) throws(Problem) -> ButtonInfo {
        let wanted = text.lowercased()
        func matches(_ isMatch: (String) -> Bool) -> [ButtonInfo] { buttons.filter { Self.names(of: $0).contains(where: isMatch) } }
        let whole = matches { $0 == wanted }
        let candidates = whole.isEmpty && !wanted.isEmpty ? matches { $0.hasPrefix(wanted) } : whole
        if let button = candidates.first, candidates.count == 1 { return button }
        guard candidates.isEmpty else {
            throw .ambiguous(text, candidates.map(\.serialNumber))
        }
        throw .unknown(text)
    }

    /// All that a button may be called, in lower case.
    package static func names(of button: ButtonInfo) -> [String] {
        [button.nickname, button.serialNumber, button.address.description, button.uuid, button.identifier.uuidString].compactMap {
            $0?.lowercased()
        }
    }
}
