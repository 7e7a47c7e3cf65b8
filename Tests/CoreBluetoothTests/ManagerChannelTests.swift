import BlueZ
import GATT
import Testing

@testable import CoreBluetooth

/// Channels that open need a radio: see BlueZVMTests.
@Suite("L2CAP channels of a peripheral manager, without Bluetooth (contract D.8)")
struct ManagerChannelTests {
    @Test("D102: what cannot be published is answered with an error and no number")
    func notPublished() async {
        let stage = await Stage()
        stage.manager.publishL2CAPChannel(withEncryption: false)
        let heard = await stage.heard()
        // The kernel has no Bluetooth, or no such adapter.
        #expect(
            heard == ["state poweredOn", "channel 0, 13"] || heard == ["state poweredOn", "channel 0, 4"]
                || heard == ["state poweredOn", "channel 0, 0"]
        )
        #expect(stage.log.take().count == 1)
    }

    @Test("D102: without an adapter")
    func noAdapter() async {
        let stage = await Stage()
        await stage.transport.setAddress(nil)
        stage.manager.publishL2CAPChannel(withEncryption: true)
        #expect(await stage.heard() == ["state poweredOn", "channel 0, 0"])
    }

    @Test("D107: a number at which nothing listens")
    func unknown() async {
        let stage = await Stage()
        stage.manager.unpublishL2CAPChannel(0x80)
        #expect(await stage.heard() == ["state poweredOn", "no channel 128, 1"])
    }

    @Test("D102: causes as codes", arguments: [(.notSupported, 13), (.noFreePSM, 4), (.timedOut, 0), (.packetTooLong, 0)] as [(L2CAPError, Int)])
    func causes(cause: L2CAPError, code: Int) {
        #expect(Refusal(cause).error.code.rawValue == code)
        #expect(Refusal(cause).detail == cause.description)
    }
}
