/// Somebody at the other end of a link (contract D96).
open class CBPeer: NSObject {
    /// Who it is: the same for the same address.
    open private(set) var identifier: UUID

    init(identifier: UUID) {
        self.identifier = identifier
    }
}
