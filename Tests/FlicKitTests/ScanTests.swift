import FlicClient
import FlicKit
import FlicSimulator
import Foundation
import GATT
import Testing

@Suite("Scan")
struct ScanTests {
    static let paired = [
        "scan discovered isScanning=true", "scan connected isScanning=true", "scan verified isScanning=true",
        "scan done isScanning=false delegate=true: connected",
        "isReady: connected ready", "battery same=true: connected ready",
    ]

    @Test("Order 3, B6, B21, B23, B26, B34: a scan pairs: steps, completion with the button in the list, then it is ready; no didConnect")
    func pairing() async throws {
        let stage = await Stage.launched()
        await stage.button.enterPublicMode()
        stage.program.scan()
        #expect(stage.manager.isScanning)
        await stage.pass(.seconds(5))
        #expect(stage.program.take() == Self.paired)
        #expect(!stage.manager.isScanning)
        #expect(stage.manager.buttons().count == 1)
        await stage.press(for: .milliseconds(100))
        #expect(stage.program.take() == ["down #1", "up #1", "click #1"])
    }

    @Test("Order 3: inside the completion connect() does nothing, stopScan() does nothing, and a trigger mode holds for the first press")
    func insideTheCompletion() async throws {
        let stage = await Stage.launched()
        await stage.button.enterPublicMode()
        stage.program.onNext("scan done") { button in
            button?.triggerMode = .click
            button?.connect()
            stage.manager.stopScan()
        }
        stage.program.scan()
        await stage.pass(.seconds(5))
        await stage.press(for: .milliseconds(100))
        #expect(stage.program.take() == Self.paired + ["down #1", "click #1", "up #1"])
    }

    @Test("B.6.3 step 11: the wish to be connected is set by pairing and outlives the program")
    func wish() async throws {
        let (first, _) = try await Stage.paired()
        let stage = await first.relaunched()
        await stage.settle()
        #expect(stage.manager.buttons().map(\.state) == [.connecting])
    }

    @Test("B35: the async form returns the button")
    func asyncForm() async throws {
        let stage = await Stage.launched()
        await stage.button.enterPublicMode()
        let paired = try await stage.passing {
            try await stage.manager.scanForButtons { stage.program.remark("\($0)") }
        }
        #expect(stage.manager.buttons() == [paired])
        #expect(stage.program.take().prefix(3) == ["discovered", "connected", "verified"])
    }

    @Test("B35: the async form throws the error")
    func asyncFormFails() async throws {
        let stage = await Stage(state: .poweredOff)
        await stage.settle()
        let error = await #expect(throws: (any Error).self) {
            try await stage.passing { try await stage.manager.scanForButtons { _ in } }
        }
        #expect(Program.text(error) == "scanner.bluetoothNotActivated")
    }

    @Test("B36 stopScan ends the scan once, with userCanceled, and isScanning stays true until then")
    func stop() async {
        let stage = await Stage.launched()
        stage.manager.stopScan()
        stage.program.scan()
        await stage.pass(.seconds(1))
        stage.manager.stopScan()
        stage.manager.stopScan()
        #expect(stage.manager.isScanning)
        await stage.settle()
        stage.manager.stopScan()
        await stage.pass(.seconds(40), step: .seconds(1))
        #expect(stage.program.take() == ["scan done scanner.userCanceled isScanning=false"])
    }

    @Test("B36: stopScan() in the middle of a pairing ends it")
    func stopInTheMiddle() async throws {
        let stage = await Stage.launched()
        await stage.button.enterPublicMode()
        stage.program.scan()
        await stage.pass(.milliseconds(200), step: .milliseconds(10))
        stage.manager.stopScan()
        await stage.pass(.seconds(5))
        #expect(
            stage.program.take() == [
                "scan discovered isScanning=true", "scan connected isScanning=true", "scan done scanner.userCanceled isScanning=false",
            ]
        )
        #expect(await !stage.button.isConnected)
    }

    @Test("B36: a scan started inside the completion is a new one, which no earlier stopScan() hits")
    func scanInsideTheCompletion() async {
        let stage = await Stage.launched()
        stage.program.onNext("scan done") { _ in
            stage.manager.stopScan()
            stage.program.scan("again")
        }
        stage.program.scan()
        stage.manager.stopScan()
        stage.manager.stopScan()
        await stage.pass(.seconds(2))
        #expect(stage.program.take() == ["scan done scanner.userCanceled isScanning=false"])
        #expect(stage.manager.isScanning)
        await stage.button.enterPublicMode()
        await stage.pass(.seconds(5))
        #expect(stage.program.take().prefix(4).last == "again done isScanning=false delegate=true: connected")
    }

    @Test("B36: stopScan() after the scan has ended by itself, but before the completion, changes nothing")
    func stopTooLate() async {
        let stage = await Stage.launched()
        await stage.button.enterPublicMode()
        stage.program.scan()
        await stage.loop.advance(by: .seconds(5))
        #expect(stage.manager.isScanning)
        stage.manager.stopScan()
        await stage.settle()
        #expect(stage.program.take() == Self.paired)
    }

    @Test("B.6.3 step 1: a second scan fails with unknown, and the first goes on")
    func secondScan() async {
        let stage = await Stage.launched()
        stage.program.scan()
        stage.program.scan("second")
        await stage.settle()
        #expect(stage.program.take() == ["second done scanner.unknown isScanning=true"])
        await stage.button.enterPublicMode()
        await stage.pass(.seconds(5))
        #expect(stage.program.take() == Self.paired)
    }

    @Test("B.6.3 step 5: a button that is paired already is passed over")
    func pairedAlready() async throws {
        let (stage, _) = try await Stage.paired()
        await stage.button.enterPublicMode()
        stage.program.scan()
        await stage.pass(.seconds(31), step: .milliseconds(500))
        #expect(stage.program.take() == ["scan done scanner.noPublicButtonDiscovered isScanning=false"])
        #expect(stage.manager.buttons().count == 1)
    }

    @Test("B26: several buttons are listed in the order of pairing, in a fresh array, also in the next launch")
    func order() async throws {
        let (first, one) = try await Stage.paired()
        let other = SimulatedButton(seed: 7, loop: first.loop)
        await first.air.place(other)
        await other.enterPublicMode()
        first.program.scan()
        await first.pass(.seconds(5))
        let two = try #require(first.manager.buttons().last)
        #expect(first.manager.buttons() == [one, two])
        #expect(one.identifier != two.identifier)
        var copy = first.manager.buttons()
        copy.removeAll()
        #expect(first.manager.buttons().count == 2)
        let stage = await first.relaunched()
        await stage.settle()
        #expect(stage.manager.buttons().map(\.identifier) == [one.identifier, two.identifier])
    }

    // MARK: Failures

    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var steps: [String] = []
        let error: String
        var settings = ButtonSettings()
        var isPublic = true
        var prepare: @Sendable (Stage) async -> Void = { _ in }
        var meanwhile: @Sendable (Stage) async -> Void = { _ in }

        static func faulty(_ description: String, _ steps: [String], _ error: String, _ change: @escaping @Sendable (inout Faults) -> Void) -> Failure
        {
            Failure(testDescription: description, steps: steps, error: error, prepare: { await $0.button.setFaults(change) })
        }
    }

    static let failures: [Failure] = [
        Failure(testDescription: "nothing found", error: "scanner.noPublicButtonDiscovered", isPublic: false),
        Failure(
            testDescription: "Bluetooth off at the start",
            error: "scanner.bluetoothNotActivated",
            prepare: { await $0.air.setState(.poweredOff) }
        ),
        Failure(testDescription: "daemon away at the start", error: "scanner.bluetoothNotActivated", prepare: { await $0.air.setState(.resetting) }),
        Failure(
            testDescription: "too old a system",
            error: "flic.unsupportedOSVersion",
            prepare: { await $0.air.setState(.unsupported(.tooOld)) }
        ),
        .faulty("connected elsewhere", [], "scanner.alreadyConnectedToAnotherDevice") { $0.isConnectedElsewhere = true },
        .faulty("no answer", ["discovered"], "scanner.connectionTimeout") { $0.link = .unanswered },
        .faulty("refused", ["discovered"], "scanner.failedToEstablish") { $0.link = .refused },
        .faulty("limit", ["discovered"], "scanner.connectionLimitReached") { $0.link = .limitReached },
        .faulty("no service", ["discovered", "connected"], "scanner.couldNotDiscoverBluetoothServices") { $0.link = .serviceMissing },
        .faulty("no notifications", ["discovered", "connected"], "scanner.couldNotSetBluetoothNotify") { $0.link = .notifyRefused },
        .faulty("bonding", ["discovered", "connected"], "scanner.blePairingFailedUnknownReason") { $0.link = .bondingRequired },
        .faulty("verifier", ["discovered", "connected", "verificationFailed"], "scanner.invalidVerifier") { $0.refusesPairing = 0 },
        .faulty("left public mode", ["discovered", "connected", "verificationFailed"], "scanner.notInPublicMode") { $0.refusesPairing = 1 },
        .faulty("address", ["discovered", "connected", "verificationFailed"], "scanner.invalidBluetoothAddress") { $0.certificate = .address },
        .faulty("certificate", ["discovered", "connected", "verificationFailed"], "scanner.genuineCheckFailed") { $0.certificate = .signature },
        .faulty("no room", ["discovered", "connected", "verificationFailed"], "scanner.tooManyApps") { $0.refusesEverybody = true },
        .faulty("silence", ["discovered", "connected", "verificationFailed"], "scanner.connectionTimeout") { $0.neverAnswers = true },
        Failure(
            testDescription: "other brand",
            steps: ["discovered", "connected", "verificationFailed"],
            error: "scanner.appCredentialsDontMatch",
            prepare: { stage in
                await stage.button.setSettings {
                    $0.caresAboutAppCredentials = true
                    $0.appCredentialsMatch = false
                }
            }
        ),
        Failure(
            testDescription: "link lost",
            steps: ["discovered", "connected"],
            error: "scanner.buttonDisconnectedDuringVerification",
            prepare: { await $0.button.setFaults { $0.neverAnswers = true } },
            meanwhile: { stage in
                await stage.pass(.seconds(1))
                await stage.carryAway()
            }
        ),
    ]

    @Test("Order 3, B11, B34, B.9: a scan that fails: the steps that were made, then the completion, once", arguments: failures)
    func failing(_ failure: Failure) async {
        let stage = await Stage.launched(settings: failure.settings)
        await failure.prepare(stage)
        await stage.settle()
        _ = stage.program.take()
        if failure.isPublic { await stage.button.enterPublicMode() }
        stage.program.scan()
        await failure.meanwhile(stage)
        await stage.pass(.seconds(70), step: .milliseconds(500))
        let steps = failure.steps.map { "scan \($0) isScanning=true" }
        #expect(stage.program.take() == steps + ["scan done \(failure.error) isScanning=false"])
        #expect(stage.manager.buttons().isEmpty)
    }

    @Test("Order 6: Bluetooth off during a scan: first the state, then the completion")
    func bluetoothOff() async {
        let stage = await Stage.launched()
        stage.program.scan()
        await stage.pass(.seconds(1))
        await stage.air.setState(.poweredOff)
        await stage.settle()
        #expect(
            stage.program.take() == ["state poweredOff: poweredOff", "scan done scanner.bluetoothNotActivated isScanning=false"]
        )
    }

    @Test("B.9: a pairing that cannot be stored fails with unknown and the cause; the button is not listed")
    func storeFails() async throws {
        let store = ScriptedStore()
        let stage = await Stage.launched(store: store)
        store.failsToSave = true
        await stage.button.enterPublicMode()
        let errors = Shared<[NSError?]>([])
        stage.manager.scanForButtons { _ in
        } completion: { button, error in
            errors.value.append(error as NSError?)
        }
        await stage.pass(.seconds(5))
        #expect(errors.value.count == 1)
        let error = try #require(errors.value.first ?? nil)
        #expect(Program.text(error) == "scanner.unknown")
        #expect(error.userInfo[NSUnderlyingErrorKey] is FlicError)
        #expect(stage.manager.buttons().isEmpty)
    }
}
