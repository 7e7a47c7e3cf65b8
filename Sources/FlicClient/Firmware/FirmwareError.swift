public import FoundationEssentials

/// Why a firmware update came to nothing. The button goes on with the firmware that it has.
public struct FirmwareError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// The kinds of failure. More may be added.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        /// An update of this button is under way in this program.
        case alreadyUpdating
        /// The button is not to be connected, or no longer.
        case notConnecting
        /// Another program or device updates the button.
        case busy
        /// An update is complete already; the button has to restart, and does so when its link ends.
        case awaitsRestart
        /// The image is for another kind of device.
        case wrongProduct
        /// The button does not take the image.
        case refused
        /// The image is not genuine, not for this button, or was damaged.
        case invalidSignature
        /// The button has said something that does not fit the image.
        case notUnderstood
        /// Nothing has come forward for too long.
        case noProgress
        /// The button had all of it, but has not restarted.
        case notRestarted
    }

    /// What went wrong.
    public let code: Code
    /// Details for logs.
    public let detail: String

    init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Errors are alike if their code is.
    public static func == (left: FirmwareError, right: FirmwareError) -> Bool { left.code == right.code }

    /// Goes by the code alone, as `==` does.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// One sentence for people.
    public var errorDescription: String? { sentence }

    /// The sentence, and the details if there are any.
    public var description: String { detail.isEmpty ? sentence : "\(sentence) (\(detail))" }

    private var sentence: String {
        switch code {
        case .alreadyUpdating: "The button is just being updated."
        case .notConnecting: "The button is not to be connected, so it cannot be updated."
        case .busy: "Another program or device is just updating the button."
        case .awaitsRestart: "The button waits to be restarted after another update."
        case .wrongProduct: "The firmware image is for another kind of device."
        case .refused: "The button does not take this firmware image."
        case .invalidSignature: "The signature of the firmware image is wrong: it is damaged, or not for this button."
        case .notUnderstood: "The button has lost its way in the firmware image."
        case .noProgress: "The update has not come forward for too long."
        case .notRestarted: "The button has not restarted with the new firmware."
        }
    }
}
