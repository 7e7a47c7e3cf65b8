import CSodium

/// Key material: wiped when the last reference goes, compared in constant time, never shown.
package final class SecretBytes: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    private let storage: Storage
    package let count: Int

    /// The memory is written only in initialisers, before anybody else can see the object, and in `deinit`.
    private struct Storage: @unchecked Sendable {
        let memory: UnsafeMutableRawPointer
    }

    /// - Parameter fill: Writes the bytes; they are zero before.
    package init(count: Int, fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void) rethrows {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        storage = Storage(memory: memory)
        self.count = count
        try fill(UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count))
    }

    /// A copy; the original is the caller's to wipe.
    package convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { _ = $0.update(fromContentsOf: bytes) }
    }

    deinit {
        sodium_memzero(storage.memory, count)
        storage.memory.deallocate()
    }

    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        try body(UnsafeBufferPointer(start: storage.memory.assumingMemoryBound(to: UInt8.self), count: count))
    }

    /// A copy of a part.
    package func prefix(_ length: Int) -> SecretBytes { withBytes { SecretBytes($0.prefix(length)) } }

    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.count == right.count && sodium_memcmp(left.storage.memory, right.storage.memory, left.count) == 0
    }

    package var description: String { "<\(count) secret bytes>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
