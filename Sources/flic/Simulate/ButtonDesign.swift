import FlicClient

/// Which button is to be put on the air.
struct ButtonDesign: Sendable, Equatable {
    /// Everything but the address follows from it.
    var seed: UInt64
    /// What kind of device it is.
    var product = FlicProduct.flic2
}
