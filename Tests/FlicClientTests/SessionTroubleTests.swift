import FlicClient
import FlicSimulator
import Testing

@Suite("Trouble in a session (contract B.6.4, protocol 6.6)")
struct SessionTroubleTests {
    @Test("A wrong signature: not ready, verified anew on the same link after 20 s")
    func oneWrongSignature() async throws {
        try await Scene.run { scene in
            let button = try await ready(scene)
            await scene.button.setFaults { $0.nextDamagedSignatures = 1 }
            await scene.button.click()
            await scene.pass(.seconds(10))
            #expect(scene.trace.take() == ["not ready (signatureMismatch), connected"])
            #expect(button.info.state == .connected && !button.info.isReady)
            await scene.pass(.seconds(11))
            let lines = scene.trace.take()
            #expect(lines.first == "ready, connected")
            // The press whose telling was damaged is not lost.
            #expect(lines.filter { $0.hasPrefix("click") }.count == 1)
        }
    }

    @Test("Wrong signatures again and again: a failure for good")
    func wrongSignatures() async throws {
        try await Scene.run { scene in
            _ = try await ready(scene)
            await scene.button.setFaults { $0.skipsCount = 1 }
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(30))
            #expect(
                scene.trace.take() == [
                    "disconnected timeout, connecting", "connected, connected", "ready, connected", "not ready (signatureMismatch), connected",
                    "ready, connected", "not ready (signatureMismatch), connected", "disconnected failed, disconnected",
                    "failed signatureMismatch, disconnected",
                ]
            )
        }
    }

    @Test("A Quick Verify with a foreign key: a failure for good, the pairing is kept")
    func foreignKey() async throws {
        try await Scene.run { scene in
            let button = try await ready(scene)
            await scene.button.setFaults { $0.usesForeignKey = true }
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(5))
            #expect(scene.trace.take().suffix(2) == ["disconnected failed, disconnected", "failed signatureMismatch, disconnected"])
            #expect(scene.store.contents.count == 1 && !button.info.isUnpaired)
            await scene.button.setFaults { $0.usesForeignKey = false }
            await button.connect()
            await scene.button.click()
            await scene.pass(.seconds(5))
            #expect(button.info.isReady)
        }
    }

    @Test("Too many apps: again after 30 s, then a failure for good")
    func tooManyApps() async throws {
        try await Scene.run { scene in
            _ = try await ready(scene)
            await scene.button.setFaults { $0.refusesEverybody = true }
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(25))
            #expect(scene.trace.take() == ["disconnected timeout, connecting", "connected, connected"])
            await scene.pass(.seconds(10))
            #expect(scene.trace.take() == ["disconnected failed, disconnected", "failed tooManyApps, disconnected"])
        }
    }

    @Test("Too many apps the first time only: ready after 30 s on the same link")
    func roomAgain() async throws {
        try await Scene.run { scene in
            _ = try await ready(scene)
            await scene.button.setFaults { $0.refusesEverybody = true }
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(10))
            await scene.button.setFaults { $0.refusesEverybody = false }
            await scene.pass(.seconds(25))
            #expect(scene.trace.take().prefix(3) == ["disconnected timeout, connecting", "connected, connected", "ready, connected"])
        }
    }

    @Test(
        "The button ends the session: verified anew after a time that depends on the reason",
        arguments: [
            (UInt8(0), Duration.zero, SessionProblem.pingTimedOut), (1, .seconds(5), .signatureMismatch), (2, .seconds(30), .takenOver),
            (3, .seconds(5), .closedByButton),
        ]
    )
    func ended(reason: UInt8, pause: Duration, problem: SessionProblem) async throws {
        try await Scene.run { scene in
            _ = try await ready(scene)
            await scene.button.endSessions(reason: reason)
            if pause > .zero {
                await scene.pass(pause)
                #expect(scene.trace.take() == ["not ready (\(problem)), connected"])
                scene.trace.note("not ready (\(problem)), connected")
            }
            await scene.pass(.milliseconds(500))
            #expect(scene.trace.take().prefix(2) == ["not ready (\(problem)), connected", "ready, connected"])
        }
    }

    @Test("A button that stops answering: the request is given up, the session tried again, and then the link")
    func silence() async throws {
        try await Scene.run { scene in
            let button = try await ready(scene)
            await scene.button.setFaults { $0.neverAnswers = true }
            await button.setNickname("Hall")
            await scene.pass(.seconds(11))
            #expect(scene.trace.take() == ["not ready (requestTimedOut), connected"])
            await scene.button.setFaults { $0.neverAnswers = false }
            await scene.pass(.seconds(21))
            #expect(scene.trace.take().first == "ready, connected")
            #expect(await scene.button.name == "Hall")
        }
    }

    @Test("The pairing is gone, with proof: told, kept in the list, connecting fails at once, and a scan pairs anew")
    func unpaired() async throws {
        try await Scene.run { scene in
            let button = try await ready(scene)
            await scene.button.removePairings()
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(5))
            #expect(
                scene.trace.take() == [
                    "disconnected timeout, connecting", "connected, connected", "disconnected nil, disconnected",
                    "unpaired true, disconnected",
                ]
            )
            #expect(await scene.flic.buttons.count == 1)
            #expect(scene.store.contents.first?.isUnpaired == true)
            await button.connect()
            #expect(scene.trace.take() == ["failed unpaired, disconnected"])
            let anew = try await scene.pair()
            #expect(anew.identifier == button.identifier && anew !== button)
            #expect(await scene.flic.buttons.map { $0 === anew } == [true])
            #expect(anew.info.isReady && button.info.isUnpaired)
        }
    }

    @Test("A denial without proof changes nothing: the pairing is kept and tried again", arguments: [true, false])
    func forgedDenial(proofIsForged: Bool) async throws {
        try await Scene.run { scene in
            let button = try await ready(scene)
            await scene.button.setFaults {
                $0.deniesPairings = true
                $0.forgesProof = proofIsForged
            }
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(5))
            #expect(!button.info.isUnpaired)
            #expect(scene.store.contents.first?.isUnpaired == false)
            await scene.button.setFaults { $0 = Faults() }
            if proofIsForged { await button.connect() }
            await scene.button.click()
            await scene.pass(.seconds(40))
            #expect(button.info.isReady)
        }
    }

    private func ready(_ scene: Scene) async throws -> FlicButton {
        let button = try await scene.pair()
        await scene.pass(.seconds(2))
        _ = scene.trace.take()
        return button
    }
}
