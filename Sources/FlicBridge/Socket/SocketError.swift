/// Why a daemon cannot be reached at its socket, or cannot offer one.
package struct SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: String, Hashable, Sendable {
        /// Nobody listens there.
        case absent
        /// Somebody else listens there.
        case inUse
        /// The system refuses access.
        case denied
        /// The path cannot be that of a socket.
        case invalidPath
        /// The other end did not answer in time.
        case timedOut
        /// The connection has ended.
        case ended
        /// The other end does not speak the protocol.
        case notUnderstood
        /// The task was cancelled.
        case cancelled
        /// A system call failed.
        case failed
    }

    package let code: Code
    /// A sentence; names the path.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
