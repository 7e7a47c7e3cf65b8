/// Somebody at the other end of a link.
open class CBPeer: NSObject {
    /// Who it is.
    open private(set) var identifier: UUID

    init(identifier: UUID) {
        self.identifier = identifier
    }
}
