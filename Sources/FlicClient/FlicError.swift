public import FoundationEssentials

/// Why something with a button did not work.
public struct FlicError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// The kinds of failure. More may be added.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        /// Bluetooth is missing, off, or not accessible.
        case bluetoothUnavailable
        /// The Bluetooth service or the kernel is too old.
        case systemTooOld
        /// Another pairing is under way.
        case alreadyPairing
        /// Cancelled by the program.
        case cancelled
        /// No button in pairing mode was found.
        case noButtonFound
        /// The button says that it is connected to another device.
        case connectedElsewhere
        /// No link within the time allowed, or no end of the verification.
        case timedOut
        /// The link could not be made.
        case connectFailed
        /// The adapter can hold no more links.
        case connectionLimitReached
        /// The button's Bluetooth services were not found.
        case serviceNotFound
        /// The button's notifications could not be switched on.
        case notifyRefused
        /// The system insists on Bluetooth bonding.
        case bondingRequired
        /// The link was lost.
        case linkLost
        /// The certificate names another address.
        case wrongAddress
        /// The button could not be proven genuine.
        case notGenuine
        /// The button calls our proof wrong.
        case invalidVerifier
        /// The button is not in pairing mode.
        case notInPublicMode
        /// The button belongs to another brand.
        case wrongBrand
        /// Too many apps are connected to the button.
        case tooManyApps
        /// A signature of the button was wrong.
        case signatureMismatch
        /// The identity that the button reports is damaged or not the stored one.
        case invalidUUID
        /// The pairing is no longer valid.
        case unpaired
        /// The button has been forgotten.
        case alreadyForgotten
        /// The store of pairings cannot be read or written.
        case storeFailed
    }

    /// What went wrong.
    public let code: Code
    /// Details for logs: what was attempted, and the words of the layer below.
    public let detail: String

    /// Makes an error.
    public init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Errors are alike if their code is.
    public static func == (left: FlicError, right: FlicError) -> Bool { left.code == right.code }

    /// Goes by the code alone, as `==` does.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// One sentence for people.
    public var errorDescription: String? { sentence }

    /// The sentence, and the details if there are any.
    public var description: String { detail.isEmpty ? sentence : "\(sentence) (\(detail))" }

    private var sentence: String {
        switch code {
        case .bluetoothUnavailable: "Bluetooth is not available or not switched on."
        case .systemTooOld: "This version of the system's Bluetooth is not supported."
        case .alreadyPairing: "Another button is just being paired."
        case .cancelled: "The operation was cancelled."
        case .noButtonFound: "No button in pairing mode was found."
        case .connectedElsewhere: "The button is connected to another device."
        case .timedOut: "The connection timed out."
        case .connectFailed: "The connection could not be made."
        case .connectionLimitReached: "No more Bluetooth connections are possible."
        case .serviceNotFound: "The button's Bluetooth services were not found."
        case .notifyRefused: "The button's notifications could not be switched on."
        case .bondingRequired: "Bluetooth pairing failed."
        case .linkLost: "The connection was lost."
        case .wrongAddress: "The button's certificate names another address."
        case .notGenuine: "The button could not be proven genuine."
        case .invalidVerifier: "The button's answer could not be verified."
        case .notInPublicMode: "The button is no longer in pairing mode."
        case .wrongBrand: "The button belongs to another brand."
        case .tooManyApps: "Too many apps are connected to this button."
        case .signatureMismatch: "The button's signature could not be verified."
        case .invalidUUID: "The button's identifier is not valid."
        case .unpaired: "The button is no longer paired with this app."
        case .alreadyForgotten: "This button has already been forgotten."
        case .storeFailed: "The pairings could not be read or written."
        }
    }
}
