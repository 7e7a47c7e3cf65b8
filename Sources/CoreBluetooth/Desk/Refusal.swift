import BlueZ
import GATT

/// Why something that the program has asked for is not done.
struct Refusal: Error, Equatable, Sendable {
    let code: CBError.Code
    /// The cause in the words of the transport; empty if there is none.
    var detail = ""

    init(_ code: CBError.Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Why something was not published or advertised (contract D45, D56).
    init(_ error: PeripheralError) {
        let code: CBError.Code =
            switch error.code {
            case .invalid: .invalidParameters
            case .limitReached: .outOfSpace
            case .denied: .operationNotSupported
            case .withdrawn: .operationCancelled
            case .notPoweredOn, .failed: .unknown
            }
        self.init(code, detail: error.detail)
    }

    /// Why a channel was not published or opened (contract D102).
    init(_ error: L2CAPError) {
        let code: CBError.Code =
            switch error {
            case .noFreePSM: .outOfSpace
            case .notSupported: .operationNotSupported
            case .timedOut, .packetTooLong, .failed: .unknown
            }
        self.init(code, detail: error.description)
    }

    /// As programs get it: the cause is not in the sentence (contract A33).
    var error: CBError { CBError(code, userInfo: detail.isEmpty ? [:] : [NSDebugDescriptionErrorKey: detail]) }
}
