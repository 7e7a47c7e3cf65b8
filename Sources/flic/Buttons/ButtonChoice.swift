import FlicClient
import FoundationEssentials

/// Finds the button that somebody means.
struct ButtonChoice {
    let buttons: [ButtonInfo]

    static let operandSummary = "Name, serial number, address, uuid or identifier of a paired button, or how it begins."

    /// The one button whose name, serial number, address, uuid or identifier is `text`, or else begins with it; in either case of letters.
    func button(_ text: String) throws(Failure) -> ButtonInfo {
        let wanted = text.lowercased()
        func matches(_ isMatch: (String) -> Bool) -> [ButtonInfo] { buttons.filter { Self.names(of: $0).contains(where: isMatch) } }
        let whole = matches { $0 == wanted }
        let candidates = whole.isEmpty && !wanted.isEmpty ? matches { $0.hasPrefix(wanted) } : whole
        if let button = candidates.first, candidates.count == 1 { return button }
        guard candidates.isEmpty else {
            let serialNumbers = candidates.map(\.serialNumber).joined(separator: ", ")
            throw Failure(.usage, "ambiguousButton", "'\(text)' may be any of \(serialNumbers); name one of these.")
        }
        throw Failure(.notPaired, "unknownButton", "No button '\(text)' is paired; 'flic list' shows those that are.")
    }

    private static func names(of button: ButtonInfo) -> [String] {
        [button.nickname, button.serialNumber, button.address.description, button.uuid, button.identifier.uuidString].compactMap {
            $0?.lowercased()
        }
    }
}
