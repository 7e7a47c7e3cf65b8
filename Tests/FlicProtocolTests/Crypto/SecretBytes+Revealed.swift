import Fixtures
import FlicProtocol

extension SecretBytes {
    /// The bytes in hexadecimal digits, which only tests may see.
    var revealed: String { withBytes { Array($0).hex } }
}
