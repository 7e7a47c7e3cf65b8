import GATT

extension ATTError {
    /// An error that a program gives as its answer, as far as bluetoothd can tell it (contract D.6). All others become ``unlikely``.
    init(_ code: CBATTError.Code) {
        self =
            switch code.rawValue {
            case 0x02: .readNotPermitted
            case 0x03: .writeNotPermitted
            case 0x06: .requestNotSupported
            case 0x07: .invalidOffset
            case 0x08: .insufficientAuthorization
            case 0x0D: .invalidValueLength
            case 0x80...0x9F: .application(UInt8(code.rawValue))
            case 0xFD: .improperlyConfigured
            case 0xFE: .procedureInProgress
            default: .unlikely
            }
    }
}
