import FlicClient
import FlicSimulator
import Testing

@Suite("Pairing (contract B.6.3)")
struct PairingTests {
    @Test("A button is found, paired, stored, and ready; then presses come", arguments: [23, 50, 140])
    func pairing(mtu: Int) async throws {
        try await Scene.run(mtu: mtu) { scene in
            await scene.button.enterPublicMode()
            let steps = Trace()
            let button = try await scene.flic.pair { steps.note($0.rawValue) }
            #expect(steps.take() == ["discovered", "connected", "verified"])
            #expect(await scene.flic.buttons.map(\.identifier) == [button.identifier])
            #expect(scene.store.contents.map(\.identifier) == [button.identifier])
            #expect(button.info.state == .connected && button.info.isReady)
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["restored 0", "state poweredOn", "ready, connected", "battery 3.0", "queue finished"])
            await button.setClickRules(.standard(.clickAndDoubleClickAndHold))
            await scene.button.click()
            await scene.pass(.seconds(1))
            await scene.button.doubleClick()
            await scene.pass(.seconds(1))
            await scene.button.hold()
            await scene.pass(.seconds(1))
            #expect(
                scene.trace.take() == [
                    "down", "up", "click", "down", "up", "down", "up", "doubleClick", "down", "hold", "up",
                ]
            )
            #expect(button.info.pressCount == 4)
        }
    }

    @Test("What was learned of the button is known at once and stored")
    func facts() async throws {
        try await Scene.run { scene in
            await scene.button.setName("Hall")
            let button = try await scene.pair()
            let identity = scene.button.identity
            #expect(button.info.serialNumber == identity.serialNumber)
            #expect(button.info.uuid.count == 32 && button.info.uuid.allSatisfy { $0.isHexDigit && !$0.isUppercase })
            #expect(button.info.address == identity.address)
            #expect(button.info.nickname == "Hall")
            #expect(button.info.firmwareVersion == 10)
            #expect(button.info.batteryVoltage.map { ($0 * 10).rounded() } == 30)
            #expect(button.info.name.hasPrefix("F210"))
            let record = try #require(scene.store.contents.first)
            #expect(record.nickname == "Hall" && record.wantsConnection && !record.isUnpaired)
        }
    }

    @Test("No button in pairing mode: given up after 30 s")
    func nothingFound() async throws {
        try await Scene.run { scene in
            let start = scene.loop.now
            #expect(await scene.pairingFailure() == FlicError(.noButtonFound))
            #expect(scene.loop.now - start == .seconds(30))
        }
    }

    @Test("A button in private mode is not taken, though it is heard")
    func privateButton() async throws {
        try await Scene.run { scene in
            await scene.button.click()
            #expect(await scene.pairingFailure() == FlicError(.noButtonFound))
            #expect(await scene.button.pairingCount == 0)
        }
    }

    @Test("A button held for seven seconds during the search is found")
    func heldButton() async throws {
        try await Scene.run { scene in
            async let paired = scene.flic.pair()
            await scene.button.holdToPair()
            let button = try await paired
            #expect(button.info.isReady)
        }
    }

    @Test("A button that this app has already is passed over")
    func alreadyPaired() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await button.disconnect()
            await scene.pass(.seconds(5))
            await scene.button.enterPublicMode()
            #expect(await scene.pairingFailure() == FlicError(.noButtonFound))
        }
    }

    @Test("A button connected elsewhere: refused at the end of the round, unless another is found")
    func connectedElsewhere() async throws {
        try await Scene.run { scene in
            await scene.button.setFaults { $0.isConnectedElsewhere = true }
            await scene.button.enterPublicMode()
            let start = scene.loop.now
            #expect(await scene.pairingFailure() == FlicError(.connectedElsewhere))
            #expect(scene.loop.now - start == .seconds(10))

            let other = SimulatedButton(seed: 2, loop: scene.loop)
            await scene.air.place(other)
            await scene.button.enterPublicMode()
            async let paired = scene.flic.pair()
            await scene.pass(.seconds(3))
            await other.enterPublicMode()
            let found = try await paired
            #expect(found.info.address == other.address)
        }
    }

    @Test(
        "Failures of link and services, and what was told before",
        arguments: [
            (Faults.Link.unanswered, FlicError.Code.timedOut, ["discovered"]),
            (.refused, .connectFailed, ["discovered"]),
            (.limitReached, .connectionLimitReached, ["discovered"]),
            (.serviceMissing, .serviceNotFound, ["discovered", "connected"]),
            (.notifyRefused, .notifyRefused, ["discovered", "connected"]),
            (.bondingRequired, .bondingRequired, ["discovered", "connected"]),
        ]
    )
    func linkFailures(fault: Faults.Link, code: FlicError.Code, told: [String]) async throws {
        try await expectFailure(code, told: told) { $0.link = fault }
    }

    @Test(
        "Failures of verification, and what was told before",
        arguments: [
            (Faults.Certificate.address, FlicError.Code.wrongAddress),
            (.addressType, .wrongAddress),
            (.signature, .notGenuine),
        ]
    )
    func certificates(fault: Faults.Certificate, code: FlicError.Code) async throws {
        try await expectFailure(code, told: ["discovered", "connected", "verificationFailed"]) { $0.certificate = fault }
    }

    @Test(
        "Refusals by the button",
        arguments: [
            (UInt8(0), FlicError.Code.invalidVerifier), (1, .notInPublicMode), (2, .notGenuine), (255, .notGenuine),
        ]
    )
    func refusals(reason: UInt8, code: FlicError.Code) async throws {
        try await expectFailure(code, told: ["discovered", "connected", "verificationFailed"]) { $0.refusesPairing = reason }
    }

    @Test("Too many apps")
    func tooManyApps() async throws {
        try await expectFailure(.tooManyApps, told: ["discovered", "connected", "verificationFailed"]) { $0.refusesEverybody = true }
    }

    @Test("A damaged proof is no proof")
    func damagedProof() async throws {
        try await expectFailure(.notGenuine, told: ["discovered", "connected", "verificationFailed"]) { $0.nextDamagedSignatures = 1 }
    }

    @Test("A button of another brand")
    func otherBrand() async throws {
        var settings = ButtonSettings()
        settings.appCredentialsMatch = false
        settings.caresAboutAppCredentials = true
        try await expectFailure(.wrongBrand, told: ["discovered", "connected", "verificationFailed"], settings: settings) { _ in }
    }

    @Test("A button that never answers: given up after 31 s")
    func silentButton() async throws {
        try await expectFailure(.timedOut, told: ["discovered", "connected", "verificationFailed"]) { $0.neverAnswers = true }
    }

    @Test("Answers for other clients do not disturb")
    func foreignAnswers() async throws {
        try await Scene.run { scene in
            await scene.button.setFaults {
                $0.answersForeignIDFirst = true
                $0.foreignFrames = [[0x05, 1, 2, 3], [0x87, 9], [0x07, 9], []]
            }
            let button = try await scene.pair()
            #expect(button.info.isReady)
        }
    }

    @Test("The link lost during the verification")
    func linkLost() async throws {
        try await Scene.run { scene in
            await scene.button.setFaults { $0.neverAnswers = true }
            await scene.button.enterPublicMode()
            let steps = Trace()
            async let failure = scene.pairingFailure { steps.note($0.rawValue) }
            await scene.pass(.seconds(2))
            await scene.air.loseLink(to: scene.button.address)
            #expect(await failure == FlicError(.linkLost))
            #expect(steps.take() == ["discovered", "connected"])
            #expect(await scene.flic.buttons.isEmpty && scene.store.contents.isEmpty)
        }
    }

    @Test("Bluetooth switched off during the search; and off from the beginning")
    func poweredOff() async throws {
        try await Scene.run { scene in
            async let failure = scene.pairingFailure()
            await scene.pass(.seconds(2))
            await scene.air.setState(.poweredOff)
            #expect(await failure == FlicError(.bluetoothUnavailable))
            #expect(await scene.pairingFailure() == FlicError(.bluetoothUnavailable))
            #expect(scene.trace.take() == ["restored 0", "state poweredOn", "state poweredOff"])
        }
    }

    @Test("A second pairing at the same time fails; the first goes on")
    func twoAtOnce() async throws {
        try await Scene.run { scene in
            async let first = scene.flic.pair()
            await scene.pass(.seconds(1))
            #expect(await scene.pairingFailure() == FlicError(.alreadyPairing))
            await scene.button.enterPublicMode()
            let button = try await first
            #expect(button.info.isReady)
        }
    }

    @Test("Cancelling the task ends the search at once, and the link with it", arguments: [Duration.zero, .seconds(1), .milliseconds(1220)])
    func cancellation(after delay: Duration) async throws {
        try await Scene.run { scene in
            let task = Task(executorPreference: scene.loop) { await scene.pairingFailure() }
            await scene.pass(.milliseconds(1100))
            await scene.button.setFaults { $0.neverAnswers = true }
            await scene.button.enterPublicMode()
            await scene.pass(delay)
            task.cancel()
            #expect(await task.value == FlicError(.cancelled))
            await scene.pass(.seconds(1))
            #expect(await !scene.button.isConnected)
            #expect(scene.store.contents.isEmpty)
        }
    }

    private func expectFailure(
        _ code: FlicError.Code,
        told: [String],
        settings: ButtonSettings = ButtonSettings(),
        _ fault: @escaping @Sendable (inout Faults) -> Void
    ) async throws {
        try await Scene.run(settings: settings) { scene in
            await scene.button.setFaults(fault)
            await scene.button.enterPublicMode()
            let steps = Trace()
            #expect(await scene.pairingFailure { steps.note($0.rawValue) } == FlicError(code))
            #expect(steps.take() == told)
            #expect(await scene.flic.buttons.isEmpty)
            #expect(scene.store.contents.isEmpty)
            await scene.pass(.seconds(5))
            #expect(await !scene.button.isConnected)
            // The failure leaves nothing behind: without the fault it works.
            await scene.button.setFaults { $0 = Faults() }
            await scene.button.setSettings { $0.caresAboutAppCredentials = false }
            let button = try await scene.pair()
            #expect(button.info.isReady)
        }
    }
}

@Suite("Applications' own tests")
struct WithSimulatedButtonTests {
    @Test("withSimulatedButton gives a button and an application, in virtual time")
    func example() async throws {
        let kinds = try await withSimulatedButton { button, flic in
            await button.enterPublicMode()
            let paired = try await flic.pair()
            async let kinds = paired.pressEvents().prefix(3).reduce(into: []) { $0.append($1.kind) }
            await button.loop.pause(for: .milliseconds(1))
            await button.click()
            return await kinds
        }
        #expect(kinds == [.down, .up, .click])
    }
}
