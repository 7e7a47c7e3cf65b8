/// Which button is to be put on the air.
struct ButtonDesign: Sendable, Equatable {
    /// Everything but the address follows from it.
    var seed: UInt64
    /// Whether it is a Flic Duo.
    var isDuo = false
}
