import EventLoops
import GATT

/// What a central wants to read or write (contract D60).
///
/// All members may be used from any thread.
open class CBATTRequest: NSObject {
    private struct Contents {
        /// nil once it has been answered.
        var id: RequestID?
        var value: Data?
    }

    private let contents: Locked<Contents>

    /// - Parameter value: What is written; nil for a read.
    init(id: RequestID, central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?) {
        contents = Locked(Contents(id: id, value: value))
        self.central = central
        self.characteristic = characteristic
        self.offset = offset
    }

    /// Who wants it.
    open private(set) var central: CBCentral

    /// What is to be read or written: the object that was published.
    open private(set) var characteristic: CBCharacteristic

    /// Where in the value to begin, in bytes; 0 to 65535.
    open private(set) var offset: Int

    /// What is written; or what is read, from the offset on, which the program sets.
    open var value: Data? {
        get { contents.withLock { $0.value } }
        set { contents.withLock { $0.value = newValue } }
    }

    /// Nothing more is to be answered.
    ///
    /// - Returns: What the transport calls the request, to the first who asks; nil to all others.
    func close() -> RequestID? {
        contents.withLock { contents in
            defer { contents.id = nil }
            return contents.id
        }
    }
}
