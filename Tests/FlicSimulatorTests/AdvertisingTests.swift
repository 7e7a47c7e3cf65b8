import FlicClient
import FlicProtocol
import FlicSimulator
import GATT
import Testing

/// When and how the button advertises (protocol 2.2, 9.5).
@Suite struct AdvertisingTests {
    private func lostAfterConfiguring(_ requests: [SetAdvParametersRequest]) -> Bench {
        var bench = Bench.running(clients: max(requests.count, 1))
        bench { $0.leavePublicMode(at: $1) }
        for (index, request) in requests.enumerated() { bench.send(request, from: index) }
        bench.disconnect(.lost)
        return bench
    }

    private func request(first: UInt16 = 160, later: UInt16 = 12_800, seconds: UInt32 = 86_400, isActive: Bool = true) -> SetAdvParametersRequest {
        var request = SetAdvParametersRequest()
        request.isActive = isActive ? 1 : 0
        request.withShortRange = 1
        request.firstInterval = first
        request.laterInterval = later
        request.timeoutSeconds = seconds
        return request
    }

    @Test("A press makes an unconnected button advertise privately for a minute: no name, no service")
    func press() {
        var bench = Bench()
        #expect(bench.firmware.advertising == nil)
        bench.click()
        #expect(bench.firmware.advertising?.isPublic == false && bench.firmware.advertising?.interval == .milliseconds(100))
        #expect(bench.firmware.advertisement == Advertisement(address: bench.firmware.identity.address))
        bench.pass(.seconds(59))
        #expect(bench.firmware.advertising != nil)
        bench.pass(.seconds(1))
        #expect(bench.firmware.advertising == nil)
    }

    @Test("Held down for six seconds it is public for thirty")
    func publicMode() {
        var bench = Bench()
        bench { $0.press(at: $1) }
        bench.pass(.milliseconds(5999))
        #expect(!bench.firmware.isPublic)
        bench.pass(.milliseconds(1))
        #expect(bench.firmware.isPublic && bench.firmware.advertisement.services == [FlicGATT.service])
        bench.pass(.milliseconds(29_999))
        #expect(bench.firmware.isPublic)
        bench.pass(.milliseconds(1))
        #expect(!bench.firmware.isPublic && bench.firmware.advertisement.services.isEmpty)
    }

    @Test("Name and manufacturer data of public mode")
    func publicData() throws {
        let address = try #require(BluetoothAddress("80:E4:DA:77:5C:05"))
        var firmware = ButtonFirmware(identity: .make(seed: 1, address: address), generator: SeededGenerator(seed: 1))
        firmware.firmwareVersion = 8
        _ = firmware.enterPublicMode(at: 0)
        #expect(firmware.advertisement.name == "F208d1wF")
        #expect(firmware.advertisement.manufacturerData == [0x030F: [1, 0xDA, 0xE4, 0x80, 0b00]])
        _ = firmware.linkUp(mtu: 140, at: 0)
        #expect(firmware.advertisement.manufacturerData == [0x030F: [1, 0xDA, 0xE4, 0x80, 0b10]])
    }

    @Test("After a lost link it advertises as configured: quickly for five seconds, then slowly until the end")
    func lostLink() {
        var bench = lostAfterConfiguring([request(first: 64, later: 1636, seconds: 60)])
        #expect(bench.firmware.advertising?.interval == .milliseconds(40))
        bench.pass(.milliseconds(4999))
        #expect(bench.firmware.advertising?.interval == .milliseconds(40))
        bench.pass(.milliseconds(1))
        #expect(bench.firmware.advertising?.interval == .microseconds(1_022_500))
        bench.pass(.seconds(55))
        #expect(bench.firmware.advertising == nil)
    }

    @Test("Of several wishes the quickest intervals and the longest time count; intervals have limits")
    func severalWishes() {
        let bench = lostAfterConfiguring([request(first: 1, seconds: 3), request(first: 500, later: 60_000, seconds: 9), request(isActive: false)])
        #expect(bench.firmware.advertising?.interval == .milliseconds(20))
        #expect(bench.firmware.deadline == bench.firmware.clock + Duration.seconds(5).ticks)
    }

    @Test("A client can wish for silence after a lost link, and change its mind")
    func inactive() {
        var bench = lostAfterConfiguring([request(isActive: false)])
        #expect(bench.firmware.advertising == nil && bench.firmware.advertisingSetUps == 1)
        bench.connect()
        bench.reconnect()
        bench.send(request())
        bench.disconnect(.lost)
        #expect(bench.firmware.advertising?.interval == .milliseconds(100) && bench.firmware.advertisingSetUps == 2)
    }

    @Test("Without a wish, or when the host closed the link, it is silent until pressed", arguments: [true, false])
    func silent(isConfigured: Bool) {
        var bench = lostAfterConfiguring(isConfigured ? [request()] : [])
        if isConfigured {
            bench.connect()
            bench.disconnect(.closedByHost)
        }
        #expect(bench.firmware.advertising == nil)
        bench.click()
        #expect(bench.firmware.advertising != nil)
    }

    @Test("A forced disconnect closes the link for all, and restarts advertising if asked to", arguments: [UInt8(0), 1])
    func forcedDisconnect(restart: UInt8) {
        var bench = Bench.running(clients: 2)
        bench { $0.leavePublicMode(at: $1) }
        var request = ForceBtDisconnectInd()
        request.restartAdv = restart
        bench.send(request, from: 1)
        #expect(!bench.firmware.isLinked && (bench.firmware.advertising != nil) == (restart == 1))
    }
}
