import Glibc

/// Why an L2CAP channel cannot be had, or has ended (contract D102, D108).
package enum L2CAPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel has no Bluetooth.
    case notSupported
    /// All numbers that the kernel gives at this address are taken.
    case noFreePSM
    /// The other end did not do its part in time.
    case timedOut
    /// The other end sent more bytes at once than had been agreed upon.
    case packetTooLong
    /// A system call failed, with this errno.
    case failed(call: String, errno: Int32)

    /// What errno says about a call that has just failed.
    static func last(_ call: String) -> L2CAPError {
        switch errno {
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: .notSupported
        case ETIMEDOUT: .timedOut
        case let number: .failed(call: call, errno: number)
        }
    }

    /// Nil if the other end has just closed the channel in good order, which errno also tells.
    var unlessClosed: L2CAPError? {
        switch errorNumber {
        case ECONNRESET, EPIPE, ENOTCONN, ESHUTDOWN: nil
        default: self
        }
    }

    /// The nearest errno.
    package var errorNumber: Int32 {
        switch self {
        case .notSupported: EAFNOSUPPORT
        case .noFreePSM: EADDRNOTAVAIL
        case .timedOut: ETIMEDOUT
        case .packetTooLong: EMSGSIZE
        case .failed(_, let number): number
        }
    }

    /// For logs.
    package var description: String {
        switch self {
        case .notSupported: "the kernel has no Bluetooth"
        case .noFreePSM: "all PSMs of the adapter are taken"
        case .timedOut: "the other end of the channel did not answer in time"
        case .packetTooLong: "the other end of the channel sent a longer packet than agreed"
        case .failed(let call, let number): "\(call): \(String(cString: strerror(number)))"
        }
    }
}
