import FlicClient

/// A scan under way.
///
/// The handler is called on the delivery queue only; programs know that, and the compiler cannot (contract A22).
final class Scan: @unchecked Sendable {
    let handler: (FLICButtonScannerStatusEvent) -> Void
    let completion: @Sendable (FLICButton?, (any Error)?) -> Void

    init(
        handler: @escaping (FLICButtonScannerStatusEvent) -> Void,
        completion: @escaping @Sendable (FLICButton?, (any Error)?) -> Void
    ) {
        self.handler = handler
        self.completion = completion
    }
}

extension FLICButtonScannerStatusEvent {
    init(_ step: PairingStep) {
        self =
            switch step {
            case .discovered: .discovered
            case .connected: .connected
            case .verified: .verified
            case .verificationFailed: .verificationFailed
            }
    }
}
