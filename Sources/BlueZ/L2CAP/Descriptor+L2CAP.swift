import CBluetooth
import EventLoops
import GATT
import Glibc

/// The system calls on L2CAP sockets.
extension Descriptor {
    /// Bytes that the other end may send at once.
    private static let receiveMTU: UInt16 = 2048

    /// A socket at an address of this computer, with a dynamic PSM of the kernel's choice (contract D100, D101, D103).
    static func l2cap(at address: BluetoothAddress, requiresEncryption: Bool) throws(L2CAPError) -> Descriptor {
        let type = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let number = socket(AF_BLUETOOTH, Int32(type), BTPROTO_L2CAP)
        guard number >= 0 else { throw L2CAPError.last("socket") }
        let descriptor = Descriptor(number)
        var place = sockaddr_l2(address, psm: 0)
        guard place.withSocketAddress({ bind(number, $0, $1) }) == 0 else {
            // All that the address says is valid, so what the kernel objects to is that no number is left.
            throw errno == EINVAL ? L2CAPError.noFreePSM : L2CAPError.last("bind")
        }
        try descriptor.set(BT_RCVMTU, to: receiveMTU, "BT_RCVMTU")
        let level = requiresEncryption ? BT_SECURITY_MEDIUM : BT_SECURITY_LOW
        try descriptor.set(BT_SECURITY, to: bt_security(level: UInt8(level), key_size: 0), "BT_SECURITY")
        return descriptor
    }

    private func set(_ option: Int32, to value: some BitwiseCopyable, _ name: String) throws(L2CAPError) {
        var value = value
        let size = socklen_t(MemoryLayout.size(ofValue: value))
        guard setsockopt(number, SOL_BLUETOOTH, option, &value, size) == 0 else { throw L2CAPError.last("setsockopt(\(name))") }
    }

    private func mtu(_ option: Int32, _ name: String) throws(L2CAPError) -> Int {
        var value: UInt16 = 0
        var size = socklen_t(MemoryLayout.size(ofValue: value))
        guard getsockopt(number, SOL_BLUETOOTH, option, &value, &size) == 0 else { throw L2CAPError.last("getsockopt(\(name))") }
        return Int(value)
    }

    /// How many bytes this end, and the other end, takes at once.
    func mtus() throws(L2CAPError) -> (receive: Int, send: Int) {
        (try mtu(BT_RCVMTU, "BT_RCVMTU"), try mtu(BT_SNDMTU, "BT_SNDMTU"))
    }

    /// The number that the socket listens on.
    func psm() throws(L2CAPError) -> UInt16 {
        var place = sockaddr_l2()
        let result = place.withSocketAddress { address, size in
            var size = size
            return getsockname(number, address, &size)
        }
        guard result == 0 else { throw L2CAPError.last("getsockname") }
        return UInt16(littleEndian: place.l2_psm)
    }

    /// Who is at the other end; nil if nobody is any more.
    func peer() -> BluetoothAddress? {
        var place = sockaddr_l2()
        let result = place.withSocketAddress { address, size in
            var size = size
            return getpeername(number, address, &size)
        }
        return result == 0 ? place.address : nil
    }

    /// The error that the socket has come to, if any. It is told once.
    func pendingError(_ call: String) -> L2CAPError? {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout.size(ofValue: number))
        guard getsockopt(self.number, SOL_SOCKET, SO_ERROR, &number, &size) == 0, number != 0 else { return nil }
        errno = number
        return L2CAPError.last(call)
    }

    /// What can be done now.
    var prospects: (hasRoom: Bool, isOver: Bool) {
        var state = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, 0) > 0 else { return (false, false) }
        let over = Int16(POLLHUP) | Int16(POLLERR) | Int16(POLLNVAL)
        return (state.revents & Int16(POLLOUT) != 0, state.revents & over != 0)
    }
}
