import EventLoops
import FlicProtocol
import FlicSimulator
import GATT
import Testing

/// Every fault does what it says; those of verification that the recordings show are tested there.
@Suite struct FaultTests {
    // MARK: Links

    @Test(
        "A faulty link fails in the way asked for",
        arguments: [
            (Faults.Link.refused, ["50: closed failed"]),
            (.limitReached, ["50: closed limitReached"]),
            (.serviceMissing, ["50: connected", "150: closed serviceNotFound"]),
            (.notifyRefused, ["50: connected", "150: closed notifyRefused"]),
            (.bondingRequired, ["50: connected", "150: closed bondingRequired"]),
            (.unanswered, ["10000: closed timeout"]),
        ]
    )
    func links(fault: Faults.Link, expected: [String]) async throws {
        var faults = Faults()
        faults.link = fault
        try await withSimulatedCentral(faults: faults) { button, central in
            let app = ScriptedApp(central)
            await button.enterPublicMode()
            await app.open(button.address)
            await app.wait(.seconds(20))
            #expect(await app.takeStory() == expected)
            #expect(await button.isConnected == false)
            await button.setFaults { $0 = Faults() }
            await app.open(button.address)
            await app.wait(.seconds(1))
            #expect(await app.story.count == 2)
        }
    }

    @Test("A service that the button does not have is not found")
    func otherService() async throws {
        try await withSimulatedCentral { button, central in
            let app = ScriptedApp(central)
            await button.enterPublicMode()
            await app.open(button.address, service: BluetoothUUID(assigned: 0x180F))
            await app.wait(.seconds(1))
            #expect(await app.story == ["50: connected", "150: closed serviceNotFound"])
        }
    }

    @Test("A button that is connected to another host says so in public mode, and cannot be connected")
    func connectedElsewhere() async throws {
        var faults = Faults()
        faults.isConnectedElsewhere = true
        try await withSimulatedCentral(faults: faults) { button, central in
            let app = ScriptedApp(central)
            await app.start()
            await app.discover(.any)
            await button.click()
            #expect(await app.advertisements.isEmpty)
            await button.enterPublicMode()
            await app.open(button.address, timeout: .seconds(5))
            await app.wait(.seconds(6))
            let data = try #require(await app.advertisements.first?.manufacturerData[0x030F])
            #expect(data.count == 5 && data[4] & 0b10 != 0)
            #expect(await app.story.last == "5100: closed timeout")
        }
    }

    @Test("Delayed frames arrive later and in order")
    func delay() async throws {
        try await withSimulatedCentral { button, central in
            let app = ScriptedApp(central)
            await button.enterPublicMode()
            await app.pair(button)
            await button.setFaults { $0.frameDelay = .seconds(1) }
            await button.press()
            await button.setFaults { $0.frameDelay = .zero }
            await button.release()
            await app.wait(.milliseconds(1004))
            #expect(await app.codes.isEmpty)
            await app.wait(.milliseconds(1))
            #expect(await app.codes == [1, 8, 2])
        }
    }

    // MARK: Frames

    /// A running session with these faults.
    private func bench(_ change: (inout Faults) -> Void) -> Bench {
        var bench = Bench.running()
        change(&bench.firmware.faults)
        return bench
    }

    @Test("Lost frames are missing")
    func lost() {
        var bench = bench { $0.nextLostFromButton = 1 }
        bench.send(GetNameRequest())
        #expect(bench.clients[0].packets(GetNameResponse.self).isEmpty)
        bench.send(GetNameRequest())
        #expect(bench.clients[0].wrongSignatures == 1)  // the count of signed packets does not match any more

        bench = self.bench { $0.nextLostToButton = 1 }
        bench.send(GetNameRequest())
        #expect(bench.clients[0].packets(GetNameResponse.self).isEmpty && bench.firmware.sessionCount == 1)
        bench.send(GetNameRequest())
        #expect(bench.clients[0].packets(DisconnectedVerifiedLinkInd.self).map(\.reason) == [1])
    }

    @Test("Every third frame is lost")
    func lostRegularly() {
        var bench = Bench(
            faults: {
                var faults = Faults(); faults.losesEveryFromButton = 3; return faults
            }()
        )
        bench.connect()
        for _ in 1...9 { bench.send(GetFirmwareVersionRequest()) }
        #expect(bench.frames.count == 6)
        bench.firmware.faults = Faults()
        bench.firmware.faults.losesEveryToButton = 2
        for _ in 1...10 { bench.send(GetFirmwareVersionRequest()) }
        #expect(bench.frames.count == 11)
    }

    @Test("Duplicated and swapped frames")
    func disorder() {
        var bench = bench { $0.nextDuplicated = 1 }
        bench.send(GetNameRequest())
        #expect(bench.clients[0].packets(GetNameResponse.self).count == 1 && bench.clients[0].wrongSignatures == 1)

        bench = self.bench { $0.nextSwapped = 1 }
        let before = bench.frames.count
        bench.send(GetBatteryLevelRequest())
        #expect(bench.frames.count == before)
        bench.send(GetNameRequest())
        #expect(bench.frames.suffix(2).map { $0[1] } == [GetNameResponse.opcode, GetBatteryLevelResponse.opcode])
    }

    @Test("Damaged signatures are those of the next packets only")
    func damaged() {
        var bench = bench { $0.nextDamagedSignatures = 2 }
        for _ in 1...3 { bench.send(GetNameRequest()) }
        #expect(bench.clients[0].wrongSignatures == 2 && bench.clients[0].packets(GetNameResponse.self).count == 1)
    }

    @Test("The link is closed after the given number of packets")
    func disconnect() {
        var bench = bench { $0.packetsUntilDisconnect = 2 }
        bench.click()
        #expect(!bench.firmware.isLinked && bench.actions.contains(.closeLink) && bench.codes() == [1, 8])
        #expect(bench.firmware.faults.packetsUntilDisconnect == nil)
    }

    @Test("A button that never answers takes everything and says nothing")
    func mute() {
        var faults = Faults()
        faults.neverAnswers = true
        var bench = Bench(faults: faults)
        bench.connect()
        bench.send(bench.clients[0].beginFullVerify())
        #expect(bench.frames.isEmpty)
    }

    @Test("Refusals of a pairing that would succeed", arguments: [UInt8(0), 1, 9])
    func refusals(reason: UInt8) {
        var faults = Faults()
        faults.refusesPairing = reason
        var bench = Bench(faults: faults)
        bench.connect()
        bench { $0.enterPublicMode(at: $1) }
        bench.pair()
        #expect(bench.clients[0].packets(FullVerifyFailResponse.self).map(\.reason) == [reason] && bench.firmware.pairings.all.isEmpty)
    }
}
