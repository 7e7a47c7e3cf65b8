import GATT

/// Everything that happens, for a facade that needs it in one order.
package enum FlicNotice: Sendable {
    /// The store has been read. Comes once, before anything else.
    case restored([FlicButton])
    /// The store was not free at first and has been read anew, or pairings were imported.
    case buttonsChanged([FlicButton])
    /// The state of Bluetooth has changed.
    case state(CentralState)
    /// Something happened to a button.
    case button(FlicButton, ButtonNotice, ButtonInfo)
}
