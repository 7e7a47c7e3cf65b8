/// What services, characteristics and descriptors have in common (contract D40).
///
/// They may be read from any thread, and changed from any thread, though a published service stays as it was when it was added.
open class CBAttribute: NSObject {
    /// What it is.
    open private(set) var uuid: CBUUID

    init(uuid: CBUUID) {
        self.uuid = uuid
    }
}
