/// Why bytes were not all sent.
public struct UARTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Hashable, Sendable {
        /// The connection had ended before: nothing was sent.
        case closed
        /// The link has ended meanwhile.
        case linkEnded
        /// The transport or the other end refused a piece; the link is still there.
        case refused
        /// The task was cancelled.
        case cancelled
    }

    /// What went wrong.
    public let code: Code
    /// How many bytes, counted from the first, the transport has certainly taken (bug case D12). A piece that was on its way does not count.
    public let handedOver: Int
    /// How many were to be sent.
    public let byteCount: Int
    /// The transport's own words, for logs.
    public let detail: String

    /// Makes an error.
    public init(_ code: Code, handedOver: Int, byteCount: Int, detail: String = "") {
        self.code = code
        self.handedOver = handedOver
        self.byteCount = byteCount
        self.detail = detail
    }

    /// A sentence.
    public var description: String {
        let reason =
            switch code {
            case .closed: "The connection had ended"
            case .linkEnded: "The link ended"
            case .refused: "The other end refused a piece"
            case .cancelled: "The write was cancelled"
            }
        return "\(reason) when \(handedOver) of \(byteCount) bytes had been handed over\(detail.isEmpty ? "" : " (\(detail))")."
    }
}
