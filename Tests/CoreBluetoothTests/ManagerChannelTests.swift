import BlueZ
import GATT
import Testing

@testable import CoreBluetooth

/// Channels that open need a radio: see BlueZVMTests.
@Suite("L2CAP channels of a peripheral manager, without Bluetooth (contract D.8)")
struct ManagerChannelTests {
    /// Whether the kernel knows of Bluetooth, though there is no adapter with the address of the stage.
    private static let hasBluetooth: Bool = {
        let (family, protocolNumber): (Int32, Int32) = (31, 0)  // AF_BLUETOOTH, BTPROTO_L2CAP
        let number = socket(family, Int32(SOCK_SEQPACKET.rawValue), protocolNumber)
        guard number < 0 else {
            close(number)
            return true
        }
        return errno != EAFNOSUPPORT
    }()

    @Test("D20, D102: what cannot be published is answered with no number, and with an error: not supported if the kernel has no Bluetooth")
    func notPublished() async {
        let stage = await Stage()
        stage.manager.publishL2CAPChannel(withEncryption: false)
        let code: CBError.Code = Self.hasBluetooth ? .unknown : .operationNotSupported
        #expect(await stage.heard() == ["state poweredOn", "channel 0, \(code.rawValue)"])
        #expect(stage.log.take().count == 1)
    }

    @Test("D102: without an adapter")
    func noAdapter() async {
        let stage = await Stage()
        await stage.transport.setAddress(nil)
        stage.manager.publishL2CAPChannel(withEncryption: true)
        #expect(await stage.heard() == ["state poweredOn", "channel 0, 0"])
    }

    @Test("D20, D107: a number at which nothing listens")
    func unknown() async {
        let stage = await Stage()
        stage.manager.unpublishL2CAPChannel(0x80)
        #expect(await stage.heard() == ["state poweredOn", "no channel 128, 1"])
    }

    @Test("D39: a channel that could not be accepted is told with an error, and no channel")
    func notOpened() async {
        let stage = await Stage()
        stage.manager.heard(.channelFailed(Refusal(L2CAPError.failed(call: "accept", errno: EMFILE))))
        #expect(await stage.heard() == ["state poweredOn", "open false, 0"])
    }

    @Test("D102: causes as codes", arguments: [(.notSupported, 13), (.noFreePSM, 4), (.timedOut, 0), (.packetTooLong, 0)] as [(L2CAPError, Int)])
    func causes(cause: L2CAPError, code: Int) {
        #expect(Refusal(cause).error.code.rawValue == code)
        #expect(Refusal(cause).detail == cause.description)
    }
}
