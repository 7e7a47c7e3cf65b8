import EventLoops
import GATT

/// What a central wants to read or write (contract D60).
///
/// All members may be used from any thread.
open class CBATTRequest: NSObject {
    /// What the transport calls it.
    let id: RequestID
    private let content: Locked<Data?>

    /// - Parameter value: What is written; nil for a read.
    init(id: RequestID, central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?) {
        self.id = id
        content = Locked(value)
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
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
