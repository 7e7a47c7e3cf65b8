import FlicClient

/// Why a daemon did not do what it was asked for, as it says to its clients.
package struct BridgeRefusal: Error, Hashable, Sendable, Codable {
    /// One word for programs: that of a ``FlicError/Code``, or one of ``Reason``.
    package var reason: String
    /// A sentence for people.
    package var message: String

    /// The words that are not of the buttons.
    package enum Reason: String, Sendable, CaseIterable {
        /// The line is not a request: no JSON object in UTF-8, or a member of the wrong kind.
        case badRequest
        /// A line is too long. The connection ends.
        case tooLong
        case unknownRequest
        /// The request has no such member.
        case unknownMember
        /// A member is needed that is not there.
        case missingMember
        /// A member has a value that means nothing.
        case badValue
        /// No button is meant.
        case unknownButton
        /// Several buttons may be meant.
        case ambiguousButton
        /// There is nothing to cancel.
        case notPairing
        /// This daemon has no metrics.
        case noMetrics
        /// No more clients are served. The connection ends.
        case tooManyClients
    }

    package init(_ reason: Reason, _ message: String) {
        self.reason = reason.rawValue
        self.message = message
    }

    init(_ error: FlicError) {
        reason = error.code.rawValue
        message = error.description
    }

    init(_ problem: ButtonChoice.Problem) {
        switch problem {
        case .unknown(let text): self.init(.unknownButton, "No button '\(text.excerpt)' is paired.")
        case .ambiguous(let text, let serialNumbers):
            self.init(.ambiguousButton, "'\(text.excerpt)' may be any of \(serialNumbers.joined(separator: ", ")).")
        }
    }
}
