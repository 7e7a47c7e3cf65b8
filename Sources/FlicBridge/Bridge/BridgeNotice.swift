package import FlicClient

/// What a bridge tells its outlets, in the order in which it happened.
package enum BridgeNotice: Sendable {
    /// A button is there: from the store, paired just now, or imported. Comes before anything else about it.
    case added(ButtonInfo)
    /// A button was forgotten. Nothing more comes about it.
    case removed(ButtonInfo)
    /// The state of Bluetooth has changed.
    case bluetooth(CentralState)
    /// Something happened to a button; the button as it was then.
    case button(ButtonNotice, ButtonInfo)
    /// What is known of a button has changed by a request: its name or its settings.
    case changed(ButtonInfo)
}
