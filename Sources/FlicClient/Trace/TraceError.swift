import Glibc

/// Why a trace could not be recorded or read.
public struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure. More may be added.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        /// The file is there already.
        case exists
        /// The system refuses access.
        case denied
        /// It could not be written, for example because the disk is full.
        case failed
        /// This is no trace, or it is damaged.
        case damaged
        /// The trace is of a later version.
        case newerVersion
        /// The trace is larger than what is read.
        case tooLarge
    }

    /// What went wrong.
    public let code: Code
    /// The line that is damaged, counted from 1; nil if it is not about one.
    public let line: Int?
    private let text: String

    package init(_ code: Code, line: Int? = nil, _ text: String) {
        self.code = code
        self.line = line
        self.text = text
    }

    init(errno: Int32, _ path: String) {
        let error = PairingStoreError(errno: errno, "\(path) could not be written")
        self.init(errno == EEXIST ? .exists : error.code == .denied ? .denied : .failed, error.description)
    }

    /// A sentence.
    public var description: String { line.map { "Line \($0): \(text)" } ?? text }
}
