import EventLoops
import FlicClient
import FlicProtocol
import FlicSimulator
import GATT
import Testing

/// Radio, links and apps that share them.
@Suite struct SimulatedAirTests {
    @Test("A link comes up in steps, each in its time, and never inside a call")
    func steps() async throws {
        try await withSimulatedCentral(mtu: 23) { button, central in
            let app = ScriptedApp(central)
            await app.start()
            await button.enterPublicMode()
            await app.open(button.address)
            await app.wait(.seconds(1))
            #expect(await app.story == ["0: poweredOn", "50: connected", "150: ready 23"])
            #expect(await button.isConnected)
        }
    }

    @Test("A device that is not there is given up after the time asked for")
    func absent() async throws {
        try await withSimulatedCentral { button, central in
            let app = ScriptedApp(central)
            await app.open(button.address, timeout: .seconds(31))
            await app.open(BluetoothAddress(value: 1), timeout: .seconds(32))
            await app.wait(.seconds(60))
            #expect(await app.story == ["31000: closed timeout", "32000: closed timeout"])
        }
    }

    @Test("An attempt waits until the button is pressed")
    func pressed() async throws {
        try await withSimulatedCentral { button, central in
            let app = ScriptedApp(central)
            await app.open(button.address)
            await app.wait(.seconds(5))
            await button.click()
            await app.wait(.seconds(1))
            #expect(await app.story == ["5050: connected", "5150: ready 140"])
        }
    }

    @Test("A client pairs over the air and hears clicks five milliseconds later", arguments: [23, 140])
    func wholeWay(mtu: Int) async throws {
        try await withSimulatedCentral(mtu: mtu) { button, central in
            let app = ScriptedApp(central)
            await button.holdToPair()
            await app.pair(button)
            #expect(await button.pairingCount == 1)
            await button.click()
            await app.wait(.milliseconds(4))
            #expect(await app.codes == [1])
            await app.wait(.milliseconds(1))
            #expect(await app.codes == [1, 8])
            await app.wait(.seconds(1))
            await button.doubleClick()
            await button.hold()
            await app.wait(.seconds(1))
            #expect(await app.codes == [1, 8, 2, 1, 8, 1, 11, 1, 3, 14])
            #expect(await app.client.wrongSignatures == 0)
        }
    }

    @Test("A search by service finds public buttons only, one without a filter all")
    func filters() async throws {
        try await withSimulatedCentral { button, central in
            let pairing = ScriptedApp(central)
            let reconnecting = ScriptedApp(air: central.air, temporaryID: 2)
            for app in [pairing, reconnecting] { await app.start() }
            await pairing.discover(.service(FlicGATT.service))
            await reconnecting.discover(.any)
            await button.press(for: .milliseconds(1050))
            #expect(await pairing.advertisements.isEmpty)
            #expect(await reconnecting.advertisements.count == 11)  // at 0, 100, …, 1000 ms
            #expect(await reconnecting.advertisements.allSatisfy { $0 == Advertisement(address: button.address) })
            await button.enterPublicMode()
            await pairing.wait(.milliseconds(50))
            let found = try #require(await pairing.advertisements.first)
            #expect(found.name?.hasPrefix("F210") == true && found.services == [FlicGATT.service])
            await pairing.discover(nil)
            await pairing.wait(.seconds(5))
            #expect(await pairing.advertisements.count == 1)
        }
    }

    @Test("Two apps share a link: both hear the button, and the link lasts until the last one leaves")
    func shared() async throws {
        try await withSimulatedCentral { button, central in
            let first = ScriptedApp(central)
            let second = ScriptedApp(air: central.air, temporaryID: 2)
            let third = ScriptedApp(air: central.air, temporaryID: 3)
            for app in [first, second, third] { await app.start() }
            await button.enterPublicMode()
            await first.pair(button)
            #expect(await second.takeStory() == ["0: poweredOn", "50: connected elsewhere"])
            await second.pair(button)
            #expect(await second.takeStory() == ["800: connected", "900: ready 140"])
            #expect(await third.takeStory() == ["0: poweredOn", "50: connected elsewhere"])
            await button.click()
            await first.wait(.seconds(1))
            #expect(await first.codes == [1, 8, 2])
            #expect(await second.codes == [1, 8, 2])
            #expect(await button.sessionCount == 2)

            _ = await first.takeStory()
            await first.send(DisconnectVerifiedLinkInd())
            await first.close()
            await first.wait(.milliseconds(100))
            #expect(await first.takeStory() == ["2720: closed as asked", "2720: connected elsewhere"])
            #expect(await button.sessionCount == 1)
            #expect(await button.isConnected)
            await second.close()
            await second.wait(.milliseconds(100))
            #expect(await button.isConnected == false)
            #expect(await second.takeStory() == ["2820: closed as asked"])
        }
    }

    @Test("One app can close a shared link for all; the button then stays silent until pressed")
    func closedForAll() async throws {
        try await withSimulatedCentral { button, central in
            let first = ScriptedApp(central)
            let second = ScriptedApp(air: central.air, temporaryID: 2)
            await button.enterPublicMode()
            await first.pair(button)
            await second.pair(button)
            await first.configureAdvertising()
            await first.wait(.seconds(40))  // until public mode is over
            await button.click()
            _ = await (first.takeStory(), second.takeStory())
            await first.close(.forEverybody)
            await first.wait(.milliseconds(100))
            #expect(await first.story.map { $0.split(separator: " ").dropFirst().joined(separator: " ") } == ["closed as asked"])
            #expect(await second.story.map { $0.split(separator: " ").dropFirst().joined(separator: " ") } == ["closed failed"])
            #expect(await button.isConnected == false)
            #expect(await button.isAdvertising == false)
        }
    }

    @Test("When the radio loses the link the button comes back as configured, and tells what was missed")
    func lost() async throws {
        try await withSimulatedCentral { button, central in
            let app = ScriptedApp(central)
            await button.enterPublicMode()
            await app.pair(button)
            await app.configureAdvertising()
            await app.wait(.seconds(35))
            await central.air.loseLink(to: button.address)
            await button.click()
            #expect(await app.takeStory().last == "35800: closed timeout")
            await app.reconnect(button, bootID: button.bootID)
            await app.wait(.seconds(1))
            #expect(await app.codes == [1, 8, 2])
            await central.air.setInRange(false, button.address)
            await app.open(button.address, timeout: .seconds(2))
            await app.wait(.seconds(3))
            #expect(await app.takeStory().last?.hasSuffix("closed timeout") == true)
        }
    }

    @Test("Switching the adapter off ends everything; switching it on does not bring it back by itself")
    func power() async throws {
        try await withSimulatedCentral { button, central in
            let app = ScriptedApp(central)
            await app.start()
            await button.enterPublicMode()
            await app.pair(button)
            _ = await app.takeStory()
            await central.air.setState(.poweredOff)
            await app.open(button.address)
            await app.wait(.seconds(1))
            #expect(await app.takeStory() == ["800: poweredOff", "800: closed notPoweredOn", "800: closed notPoweredOn"])
            #expect(await button.isConnected == false)
            await central.air.setState(.poweredOn)
            await app.wait(.seconds(1))
            #expect(await app.takeStory() == ["1800: poweredOn"])
        }
    }

    @Test("What was written before a close arrives before it; what the button sent before it closes, too")
    func lastWords() async throws {
        try await withSimulatedCentral { button, central in
            let app = ScriptedApp(central)
            await button.enterPublicMode()
            await app.pair(button)
            var name = SetNameRequest()
            name.name = Array("bye".utf8)
            name.timestamp = 1
            await app.send(name)
            await app.close()
            await app.wait(.seconds(1))
            #expect(await button.name == "bye")

            await app.reconnect(button)
            await app.send(GetNameRequest())
            await app.send(ForceBtDisconnectInd())
            await app.wait(.seconds(1))
            #expect(await app.client.packets(GetNameResponse.self).count == 1)
            #expect(await app.takeStory().last?.hasSuffix("closed closedByPeer") == true)
        }
    }

    @Test("A reboot loses the link; the next session starts with a new boot id")
    func reboot() async throws {
        try await withSimulatedCentral { button, central in
            let app = ScriptedApp(central)
            await button.enterPublicMode()
            await app.pair(button)
            await button.click()
            await app.wait(.seconds(1))
            let bootID = await button.bootID
            await button.reboot()
            await button.click()
            await app.reconnect(button, count: 4, bootID: bootID)
            let answers = await app.client.packets(InitButtonEventsResponseWithBootId.self)
            #expect(await answers.map(\.bootID) == [button.bootID])
            await app.wait(.seconds(1))
            #expect(await app.codes == [1, 8, 2])
        }
    }

    @Test("Public mode lasts half a minute from when it was entered, and forged frames come in their turn")
    func publicModeAndForgery() async throws {
        try await withSimulatedCentral { button, central in
            let app = ScriptedApp(central)
            await button.setSettings { $0.pingInterval = nil }
            await app.wait(.seconds(100))
            await button.enterPublicMode()
            await app.pair(button)
            #expect(await button.pairingCount == 1)
            await app.wait(.milliseconds(29_199))
            #expect(await button.isPublic)
            await app.wait(.milliseconds(1))
            #expect(await button.isPublic == false)
            await button.press()
            await central.air.forge([app.client.id, ButtonEventNotification.opcode, 1, 2, 3, 4, 5, 6], from: button.address)
            await app.wait(.milliseconds(10))
            #expect(await app.codes == [1])
            #expect(await app.client.wrongSignatures == 1)
        }
    }

    @Test("The battery, the name and the acknowledged count are what was set, sent and received")
    func facts() async throws {
        try await withSimulatedCentral { button, central in
            let app = ScriptedApp(central)
            await button.setBattery(volts: 2.65)
            await button.setName("Desk")
            await button.enterPublicMode()
            await app.pair(button)
            let answer = try #require(await app.client.packets(FullVerifyResponse2.self).first)
            #expect(answer.batteryLevel == 754 && answer.name.prefix(Int(answer.nameLength)) == Array("Desk".utf8)[...])
            var acknowledgement = AckButtonEventsInd()
            acknowledgement.eventCount = 8
            await app.send(acknowledgement)
            var parameters = SetConnectionParametersInd()
            parameters.minimumInterval = 80
            parameters.maximumInterval = 90
            parameters.latency = 17
            parameters.timeout = 800
            await app.send(parameters)
            await app.wait(.milliseconds(10))
            #expect(await button.acknowledgedEventCount == 8)
            let wish = await button.connectionParameters
            #expect(wish?.minimumInterval == .milliseconds(100) && wish?.maximumInterval == .microseconds(112_500))
            #expect(wish?.latency == 17 && wish?.timeout == .seconds(8))
            for volts in [-1, 99, .nan, .infinity] { await button.setBattery(volts: volts) }
        }
    }

    @Test("The same seed gives the same frames at the same times")
    func deterministic() async throws {
        @Sendable func run() async throws -> ([String], [[UInt8]]) {
            try await withSimulatedCentral(seed: 42) { button, central in
                let app = ScriptedApp(central)
                await app.start()
                await button.holdToPair()
                async let paired: Void = app.pair(button)
                for _ in 1...3 { await button.doubleClick() }
                await paired
                await app.send(GetNameRequest())
                await button.hold()
                await app.wait(.seconds(1))
                return await (app.story, app.client.received)
            }
        }
        let first = try await run()
        for _ in 1...5 {
            let next = try await run()
            #expect(next == first)
        }
        #expect(first.1.count > 5)
    }
}
