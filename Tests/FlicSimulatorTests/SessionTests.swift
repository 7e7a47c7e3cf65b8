import FlicProtocol
import FlicSimulator
import Testing

/// What happens in a session, apart from button events (protocol 4.3 to 4.6, 9, 10).
@Suite struct SessionTests {
    // MARK: Signatures

    @Test("A wrong signature ends the session with reason 1")
    func wrongSignature() {
        var bench = Bench.running()
        var frame = bench.clients[0].frames(GetNameRequest())[0]
        frame[frame.count - 1] ^= 0x80
        bench.send([frame])
        #expect(bench.clients[0].packets(DisconnectedVerifiedLinkInd.self).map(\.reason) == [1])
        #expect(bench.firmware.sessionCount == 0 && bench.clients[0].packets(GetNameResponse.self).isEmpty)
    }

    @Test(
        "Unknown, reserved and short packets are ignored, and counted if they are signed",
        arguments: [[99], [31], [16, 1], [255, 0, 0, 0]] as [[UInt8]]
    )
    func ignoredPackets(body: [UInt8]) {
        var bench = Bench.running()
        bench.send(bench.clients[0].signedFrames(body))
        bench.send(bench.clients[0].frames([11, 0, 0]))  // shorter than a signature: not counted
        bench.send(GetNameRequest())
        #expect(bench.clients[0].packets(GetNameResponse.self).count == 1 && bench.clients[0].hasSession)
    }

    @Test("Packets on ids that were not given are ignored")
    func foreignID() {
        var bench = Bench.running()
        let before = bench.frames.count
        for id in 2...31 { bench.send([[UInt8(id), 11, 1, 2, 3, 4, 5]]) }
        #expect(bench.frames.count == before && bench.firmware.sessionCount == 1)
    }

    // MARK: Time

    @Test("A ping that is answered in time is followed by the next one; one that is not ends the session with reason 0")
    func pings() {
        var settings = ButtonSettings()
        settings.pingInterval = .seconds(10)
        settings.pingPatience = .seconds(4)
        var bench = Bench.running(settings: settings)
        bench.pass(.seconds(10))
        for round in 1...3 {
            #expect(bench.clients[0].packets(PingRequest.self).count == round && bench.clients[0].hasSession)
            bench.pass(.milliseconds(3999))
            bench.send(PingResponse())
            bench.pass(.milliseconds(6001))  // ten seconds after the last ping, however late the answer was
        }
        #expect(bench.clients[0].packets(PingRequest.self).count == 4)
        bench.pass(.milliseconds(3999))
        #expect(bench.clients[0].hasSession)
        bench.pass(.milliseconds(1))
        #expect(bench.clients[0].packets(DisconnectedVerifiedLinkInd.self).map(\.reason) == [0])
    }

    @Test("A link without a session is closed after 40 s")
    func sessionless() {
        var bench = Bench()
        bench.connect()
        bench.pass(.milliseconds(39_999))
        #expect(bench.firmware.isLinked)
        bench.pass(.milliseconds(1))
        #expect(!bench.firmware.isLinked && bench.actions.contains(.closeLink))
    }

    @Test("When the last session ends the 40 s begin")
    func sessionEnded() {
        var bench = Bench.running()
        bench.pass(.seconds(5))
        bench.send(DisconnectVerifiedLinkInd())
        #expect(bench.clients[0].packets(DisconnectedVerifiedLinkInd.self).map(\.reason) == [3])
        bench.pass(.seconds(39))
        #expect(bench.firmware.isLinked)
        bench.pass(.seconds(1))
        #expect(!bench.firmware.isLinked)
    }

    @Test("An idle link is closed when all clients wish it; a press counts, never and zero are no wish")
    func autoDisconnect() {
        var settings = ButtonSettings()
        settings.pingInterval = nil
        var bench = Bench.paired(clients: 2, settings: settings)
        bench.initialize(0, idle: 60)
        bench.initialize(1, idle: 511)
        bench.pass(.seconds(1000))
        #expect(bench.firmware.isLinked)
        var change = SetAutoDisconnectTimeInd()
        change.autoDisconnectTime = 0
        bench.send(change, from: 1)
        bench.pass(.seconds(1000))
        #expect(bench.firmware.isLinked)
        change.autoDisconnectTime = 100
        bench.send(change, from: 1)
        bench.pass(.seconds(90))
        bench.click()
        bench.pass(.seconds(99))
        #expect(bench.firmware.isLinked)
        bench.pass(.seconds(2))
        #expect(!bench.firmware.isLinked && bench.firmware.advertising == nil)
    }

    @Test("The timer of a client returns its message")
    func apiTimer() {
        var bench = Bench.running()
        var request = StartApiTimerInd()
        request.timeout = 32_768
        request.message = 0xCAFE
        bench.send(request)
        bench.pass(.milliseconds(999))
        #expect(bench.clients[0].packets(ApiTimerNotification.self).isEmpty)
        bench.pass(.milliseconds(1))
        bench.pass(.seconds(5))
        #expect(bench.clients[0].packets(ApiTimerNotification.self).map(\.message) == [0xCAFE])
    }

    // MARK: Values

    @Test("Clock, device id, battery and version are told")
    func values() {
        var bench = Bench.running()
        bench.pass(.seconds(3))
        bench.firmware.batteryLevel = 754
        bench.send(GetCurrentTimeRequest())
        bench.send(GetDeviceIdRequest())
        bench.send(GetBatteryLevelRequest())
        bench.send(GetFirmwareVersionRequest())
        #expect(bench.clients[0].packets(GetCurrentTimeResponse.self).map(\.time) == [bench.firmware.clock])
        #expect(bench.clients[0].packets(GetDeviceIdResponse.self).map(\.deviceID) == [Array(bench.firmware.identity.uuid.prefix(8))])
        #expect(bench.clients[0].packets(GetBatteryLevelResponse.self).map(\.batteryLevel) == [754])
        #expect(bench.clients[0].packets(GetFirmwareVersionResponse.self).map(\.version) == [10])
    }

    @Test("The version is told without a session too, unsigned")
    func unsignedVersion() {
        var bench = Bench()
        bench.connect()
        bench.send(GetFirmwareVersionRequest())
        #expect(bench.clients[0].packets(GetFirmwareVersionResponse.self).map(\.version) == [10])
    }

    @Test(
        "The newest rename wins, unless one is forced; the other clients hear of it",
        arguments: [(UInt64(6), false, true), (5, false, false), (4, true, true)]
    )
    func rename(time: UInt64, isForced: Bool, wins: Bool) {
        var bench = Bench.running(clients: 2)
        bench { $0.setName(StoredName(Array("old".utf8), timestamp: 5), at: $1) }
        var request = SetNameRequest()
        request.timestamp = time
        request.forceUpdate = isForced
        request.name = Array("new".utf8)
        bench.send(request)
        let now = Array((wins ? "new" : "old").utf8)
        #expect(bench.clients[0].packets(SetNameResponse.self).map(\.name) == [now])
        #expect(bench.clients[0].packets(NameUpdatedNotification.self).map(\.name) == [Array("old".utf8)])
        #expect(bench.clients[1].packets(NameUpdatedNotification.self).map(\.name) == [Array("old".utf8)] + (wins ? [now] : []))
        bench.send(GetNameRequest(), from: 1)
        #expect(bench.clients[1].packets(GetNameResponse.self).map(\.name) == [now])
    }

    @Test("A long name is cut between characters")
    func longName() {
        #expect(StoredName(Array("aaaaaaaaaaaaaaaaaaaaaaaö".utf8)).text == [UInt8](repeating: 0x61, count: 23))
        #expect(StoredName(Array("aaaaaaaaaaaaaaaaaaaaaaö".utf8)).text == [UInt8](repeating: 0x61, count: 22))
        #expect(StoredName([UInt8](repeating: 0x80, count: 30)).text.isEmpty)
    }

    @Test("Connection parameters are remembered until the reboot")
    func connectionParameters() {
        var bench = Bench.running()
        var request = SetConnectionParametersInd()
        request.minimumInterval = 80
        request.timeout = 800
        bench.send(request)
        #expect(bench.firmware.connectionParameters == request)
        bench { firmware, _ in firmware.reboot() }
        #expect(bench.firmware.connectionParameters == nil)
    }

    @Test("A factory reset on request erases the pairings and answers")
    func factoryReset() {
        var bench = Bench.running(clients: 2)
        bench.send(FactoryResetRequest(), from: 1)
        #expect(bench.clients[1].packets(FactoryResetResponse.self).count == 1 && bench.firmware.pairings.all.isEmpty)
    }

    @Test("A reboot changes the boot id and starts clock and counters over; pairings and name stay")
    func reboot() {
        var bench = Bench.running()
        bench.click()
        bench { $0.setName(StoredName([65], timestamp: 1), at: $1) }
        let bootID = bench.firmware.bootID
        bench { firmware, _ in firmware.reboot() }
        #expect(bench.actions.suffix(3) == [.closeLink, .restarted, .advertise(nil)])
        #expect(bench.firmware.bootID != bootID && bench.firmware.clock == 0 && bench.firmware.eventCount == 0)
        #expect(bench.firmware.pairings.all.count == 1 && bench.firmware.name.text == [65])
        bench { firmware, _ in firmware.factoryReset() }
        #expect(bench.firmware.pairings.all.isEmpty && bench.firmware.name.text.isEmpty)
    }

    @Test("The HID/MIDI configuration is kept as it was sent")
    func hidConfiguration() {
        var bench = Bench.running()
        bench.send(SetHidMidiConfigApplyRequest())
        let content = (0..<200).map { UInt8(truncatingIfNeeded: $0) }
        for piece in [content.prefix(120), content.dropFirst(120)] {
            var packet = SetHidMidiConfigDataInd()
            packet.data = Array(piece)
            bench.send(packet)
        }
        bench.send(SetHidMidiConfigApplyRequest())
        bench.send(GetHidMidiConfigRequest())
        #expect(bench.clients[0].packets(SetHidMidiConfigApplyResponse.self).map(\.result) == [3, 0])
        #expect(bench.clients[0].packets(GetHidMidiConfigDataInd.self).flatMap(\.data) == content)
        #expect(bench.clients[0].packets(GetHidMidiConfigResponse.self).map(\.result) == [0])
    }
}
