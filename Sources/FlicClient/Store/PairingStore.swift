/// Keeps the records of paired buttons.
///
/// A store belongs to one ``Flic``, which never calls it twice at the same time. Its functions may suspend for as long as the
/// medium takes.
public protocol PairingStore: Sendable {
    /// Takes the store into possession, so that no other process writes to it.
    ///
    /// - Throws: `inUse` as long as another process has it.
    func lock() async throws(PairingStoreError)

    /// Reads all records, in the order of pairing.
    func load() async throws(PairingStoreError) -> [ButtonRecord]

    /// Replaces all records. They are durable when the function returns; if it throws, the old ones are still there.
    func save(_ records: [ButtonRecord]) async throws(PairingStoreError)

    /// Keeps what presses have changed since the last ``save(_:)``: the records are the same but for their event positions.
    ///
    /// They outlast the process from now on, however it ends. If the machine loses its power before the next ``save(_:)``, which comes
    /// within a minute, the last presses may be told again. So a medium that wears out need not be written at each press.
    func keep(_ records: [ButtonRecord]) async throws(PairingStoreError)

    /// Gives the store back: others may have it now. Without effect if it is not locked.
    func unlock() async
}

extension PairingStore {
    /// The same as ``save(_:)``.
    public func keep(_ records: [ButtonRecord]) async throws(PairingStoreError) { try await save(records) }

    /// Nothing to give back.
    public func unlock() async {}
}

/// Why a store cannot be used.
public struct PairingStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Hashable, Sendable {
        /// Another process has it.
        case inUse
        /// The system refuses access.
        case denied
        /// It was written by a newer version of this library.
        case newerVersion
        /// Reading or writing failed.
        case failed
    }

    /// What went wrong.
    public let code: Code
    /// For logs; names the file.
    public let description: String

    /// Makes an error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
