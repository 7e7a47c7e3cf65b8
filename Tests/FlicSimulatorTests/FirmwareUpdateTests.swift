import FlicProtocol
import FlicSimulator
import Testing

/// Firmware update (protocol 9.4).
@Suite struct FirmwareUpdateTests {
    private func start(_ bench: inout Bench, words: UInt16 = 100, vector: UInt8 = 1, from index: Int = 0) -> Int32? {
        var request = StartFirmwareUpdateRequest()
        request.lengthWords = words
        request.initializationVector = [UInt8](repeating: vector, count: 8)
        request.statusInterval = 60
        bench.send(request, from: index)
        return bench.clients[index].packets(StartFirmwareUpdateResponse.self).last?.startPosition
    }

    private func send(_ bench: inout Bench, words: Int, from index: Int = 0) {
        var left = words
        while left > 0 {
            var packet = FirmwareUpdateDataInd()
            packet.data = [UInt8](repeating: 0xAB, count: 4 * min(left, 30))
            bench.send(packet, from: index)
            left -= 30
        }
    }

    private func reports(_ bench: Bench) -> [Int32] { bench.clients[0].packets(FirmwareUpdateNotification.self).map(\.position) }

    @Test("A complete image is reported, and runs after the link is gone, with a new boot id", arguments: [23, 140])
    func complete(mtu: Int) {
        var bench = Bench.running()
        bench.disconnect(.lost)
        bench.connect(mtu: mtu)
        bench.reconnect()
        let bootID = bench.firmware.bootID
        #expect(start(&bench) == 0)
        send(&bench, words: 100)
        #expect(reports(bench) == [60, 100])
        #expect(start(&bench) == -3)
        var request = ForceBtDisconnectInd()
        request.restartAdv = 1
        bench.send(request)
        #expect(bench.firmware.firmwareVersion == 11 && bench.firmware.bootID != bootID && bench.firmware.advertising != nil)
        #expect(bench.firmware.pairings.all.count == 1)
    }

    @Test("An interrupted update of the same image goes on where it was, one of another image does not", arguments: [(UInt8(1), Int32(70)), (2, 0)])
    func resume(vector: UInt8, position: Int32) {
        var bench = Bench.running()
        _ = start(&bench)
        send(&bench, words: 70)
        bench.disconnect(.lost)
        bench.connect()
        bench.reconnect()
        #expect(start(&bench, vector: vector) == position)
    }

    @Test("A wrong signature is reported as position zero")
    func wrongSignature() {
        var bench = Bench.running()
        bench.firmware.faults.refusesFirmware = true
        _ = start(&bench)
        send(&bench, words: 100)
        #expect(reports(bench) == [60, 0])
        #expect(start(&bench) == 0)
    }

    @Test("A second client is told that the button is busy; an empty image is invalid")
    func refused() {
        var bench = Bench.running(clients: 2)
        #expect(start(&bench, words: 0) == -1)
        #expect(start(&bench) == 0)
        #expect(start(&bench, from: 1) == -2)
        send(&bench, words: 60, from: 1)
        #expect(bench.firmware.updatePosition == 0)
        bench.send(DisconnectVerifiedLinkInd())
        #expect(start(&bench, from: 1) == 0)
    }
}
