import CBluetooth
import GATT
import Glibc
import Testing

@testable import BlueZ

private enum Kernel {
    static var hasNoBluetooth: Bool {
        let number = socket(AF_BLUETOOTH, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_L2CAP)
        guard number < 0 else {
            close(number)
            return false
        }
        return errno == EAFNOSUPPORT
    }
}

@Suite("A kernel without Bluetooth", .enabled(if: Kernel.hasNoBluetooth, "there is Bluetooth here"))
struct NoBluetoothTests {
    private let address = BluetoothAddress(value: 0x00AA_0101_0001)

    @Test("D102: no listener")
    func listen() {
        #expect(throws: L2CAPError.notSupported) {
            _ = try L2CAPListener(address: address, requiresEncryption: false, accepted: { _ in }, failed: { _ in })
        }
    }

    @Test("No connection")
    func connect() async {
        await #expect(throws: L2CAPError.notSupported) {
            _ = try await L2CAPSocket.connect(to: address, psm: 0x80, from: address)
        }
    }
}

@Suite("What the kernel says about L2CAP")
struct L2CAPErrorTests {
    @Test(
        "D102: no such family, protocol or kind of socket is no Bluetooth; other numbers are what they are",
        arguments: [
            (EAFNOSUPPORT, .notSupported), (EPROTONOSUPPORT, .notSupported), (ESOCKTNOSUPPORT, .notSupported), (ETIMEDOUT, .timedOut),
            (EADDRNOTAVAIL, .failed(call: "socket", errno: EADDRNOTAVAIL)), (EMFILE, .failed(call: "socket", errno: EMFILE)),
        ] as [(Int32, L2CAPError)]
    )
    func numbers(number: Int32, error: L2CAPError) {
        errno = number
        #expect(L2CAPError.last("socket") == error)
    }
}

@Suite("Addresses of L2CAP sockets")
struct L2CAPAddressTests {
    @Test("D100: there and back", arguments: [BluetoothAddress.Kind.public, .random])
    func roundTrip(kind: BluetoothAddress.Kind) throws {
        let address = try #require(BluetoothAddress("80:E4:DA:12:34:56", kind: kind))
        var place = sockaddr_l2(address, psm: 0x81)
        #expect(place.address == address)
        // As the kernel has it: family, PSM, address, channel, kind of the address, one byte to fill up.
        let bytes = place.withSocketAddress { pointer, size in Array(UnsafeRawBufferPointer(start: pointer, count: Int(size))) }
        #expect(Array(bytes.prefix(13)) == [31, 0, 0x81, 0, 0x56, 0x34, 0x12, 0xDA, 0xE4, 0x80, 0, 0, kind == .public ? 1 : 2])
        #expect((13...14).contains(bytes.count))
    }

    @Test("Those of other families, and of classic Bluetooth, are none")
    func others() {
        var place = sockaddr_l2(BluetoothAddress(value: 1), psm: 0)
        place.l2_bdaddr_type = 0
        #expect(place.address == nil)
        place = sockaddr_l2()
        #expect(place.address == nil)
    }
}
