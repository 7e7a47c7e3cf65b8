import CBluetooth
import GATT
import Glibc

extension sockaddr_l2 {
    /// - Parameter psm: 0 for one of the kernel's choice, when it is the address of a socket of one's own.
    init(_ address: BluetoothAddress, psm: UInt16) {
        self.init()
        l2_family = UInt16(AF_BLUETOOTH)
        l2_psm = psm.littleEndian
        withUnsafeMutableBytes(of: &l2_bdaddr) { $0.copyBytes(from: address.wireBytes) }
        l2_bdaddr_type = UInt8(address.kind == .public ? BDADDR_LE_PUBLIC : BDADDR_LE_RANDOM)
    }

    /// Nil if it is not of low energy.
    var address: BluetoothAddress? {
        guard l2_family == AF_BLUETOOTH else { return nil }
        let kind: BluetoothAddress.Kind
        switch Int32(l2_bdaddr_type) {
        case BDADDR_LE_PUBLIC: kind = .public
        case BDADDR_LE_RANDOM: kind = .random
        default: return nil
        }
        return withUnsafeBytes(of: l2_bdaddr) { BluetoothAddress(wireBytes: $0, kind: kind) }
    }

    /// Calls `body` with the address in the form of system calls.
    mutating func withSocketAddress<Result>(_ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result) -> Result {
        let size = socklen_t(MemoryLayout<sockaddr_l2>.size)
        return withUnsafeMutableBytes(of: &self) { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), size) }
    }
}
