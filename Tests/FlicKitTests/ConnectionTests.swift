import FlicClient
import FlicKit
import FlicSimulator
import Foundation
import GATT
import Testing

@Suite("Connection")
struct ConnectionTests {
    static let connected = ["didConnect: connected", "isReady: connected ready", "battery same=true: connected ready"]

    /// A button that the program has disconnected and that is silent.
    static func disconnected() async throws -> (Stage, FLICButton) {
        let (stage, button) = try await Stage.paired()
        button.disconnect()
        await stage.pass(.seconds(3))
        _ = stage.program.take()
        #expect(button.state == .disconnected)
        return (stage, button)
    }

    /// Presses a silent button, so that it advertises, and lets its events come and go.
    static func wake(_ stage: Stage) async {
        await stage.press(for: .milliseconds(50))
        await stage.pass(.seconds(3))
    }

    static func withoutPresses(_ trace: [String]) -> [String] {
        trace.filter { line in !["down", "up", "click", "hold"].contains { line.hasPrefix($0) } }
    }

    // MARK: Order 4

    @Test("Order 4, B45, B53, B60, B61: connect() when disconnected: connecting at once; when the button is there, didConnect and isReady")
    func connect() async throws {
        let (stage, button) = try await Self.disconnected()
        button.connect()
        #expect(button.state == .connecting && !button.isReady)
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == [])
        await Self.wake(stage)
        #expect(Self.withoutPresses(stage.program.take()) == Self.connected)
    }

    @Test("Order 4, B53: connect() when connected or connecting: nothing")
    func connectAgain() async throws {
        let (stage, button) = try await Stage.paired()
        button.connect()
        #expect(button.state == .connected && button.isReady)
        await stage.carryAway()
        button.connect()
        #expect(button.state == .connecting)
        await stage.pass(.seconds(1))
        #expect(stage.program.take() == ["didDisconnect(CBErrorDomain 6): connecting"])
    }

    @Test("Order 4, B54, B62: disconnect() when connecting: disconnected at once, no calls")
    func disconnectWhenConnecting() async throws {
        let (stage, button) = try await Self.disconnected()
        button.connect()
        await stage.pass(.seconds(1))
        button.disconnect()
        #expect(button.state == .disconnected)
        await Self.wake(stage)
        #expect(stage.program.take() == [])
        #expect(button.state == .disconnected)
    }

    @Test("Order 4, B48, B54, B62, B94: disconnect() when connected: disconnecting at once, then didDisconnect(nil)")
    func disconnect() async throws {
        let (stage, button) = try await Stage.paired()
        button.disconnect()
        #expect(button.state == .disconnecting)
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == ["didDisconnect(nil): disconnected"])
        await Self.wake(stage)
        #expect(stage.program.take() == [])
    }

    @Test("Order 4, B54: disconnect() when disconnected: nothing")
    func disconnectAgain() async throws {
        let (stage, button) = try await Self.disconnected()
        button.disconnect()
        await stage.pass(.seconds(1))
        #expect(stage.program.take() == [])
        #expect(button.state == .disconnected)
    }

    @Test("Order 4, B.6.4: connect() between disconnect() and didDisconnect: disconnecting, then didDisconnect(nil) in state connecting")
    func connectWhenDisconnecting() async throws {
        let (stage, button) = try await Stage.paired()
        button.disconnect()
        button.connect()
        #expect(button.state == .disconnecting)
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == ["didDisconnect(nil): connecting"])
        await Self.wake(stage)
        #expect(Self.withoutPresses(stage.program.take()) == Self.connected)
    }

    @Test("B.6.4: disconnect() again while disconnecting takes a new wish back")
    func disconnectTwice() async throws {
        let (stage, button) = try await Stage.paired()
        button.disconnect()
        button.connect()
        button.disconnect()
        #expect(button.state == .disconnecting)
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == ["didDisconnect(nil): disconnected"])
    }

    @Test("Order 4: connect() inside didDisconnect after a disconnect() connects")
    func connectInsideDidDisconnect() async throws {
        let (stage, button) = try await Stage.paired()
        stage.program.onNext("didDisconnect") { button in
            button?.connect()
            stage.program.remark("now \(button?.state == .connecting)")
        }
        button.disconnect()
        await stage.pass(.seconds(3))
        await Self.wake(stage)
        #expect(Self.withoutPresses(stage.program.take()) == ["didDisconnect(nil): disconnected", "now true"] + Self.connected)
    }

    @Test("B54: the wish that disconnect() takes back is gone in the next launch, the one that connect() sets is there", arguments: [true, false])
    func wishIsKept(connects: Bool) async throws {
        let (first, button) = try await Self.disconnected()
        if connects { button.connect() }
        await first.settle()
        let stage = await first.relaunched()
        await stage.settle()
        #expect(stage.manager.buttons().map(\.state) == [connects ? .connecting : .disconnected])
    }

    // MARK: Order 5

    @Test("Order 5, B48, B62: out of range: didDisconnect with an error, in state connecting, not ready; back: didConnect, isReady, queued events")
    func outOfRange() async throws {
        let (stage, button) = try await Stage.paired()
        stage.program.onNext("didDisconnect") { $0?.connect() }
        await stage.carryAway()
        #expect(stage.program.take() == ["didDisconnect(CBErrorDomain 6): connecting"])
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(60 * 60), step: .seconds(1))
        #expect(stage.program.take() == [])
        #expect(button.state == .connecting && !button.isReady)
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(3))
        await stage.bringBack()
        await stage.pass(.seconds(3))
        let queued = ["down #1 queued 3603", "up #1 queued 3603", "click #1 queued 3603", "down #2 queued 3", "up #2 queued 3", "click #2 queued 3"]
        #expect(stage.program.take() == Array(Self.connected.prefix(2)) + queued + Self.connected.suffix(1))
    }

    @Test("Order 5: a press begun before the loss and decided during it is queued")
    func pressAcrossTheLoss() async throws {
        let (stage, _) = try await Stage.paired()
        await stage.button.press()
        await stage.pass(.milliseconds(100))
        await stage.carryAway()
        await stage.pass(.seconds(4))
        await stage.button.release()
        await stage.pass(.seconds(2))
        await stage.bringBack()
        await stage.pass(.seconds(20))  // by now it advertises every ten seconds
        let trace = stage.program.take().map { $0.replacing(/queued \d+/, with: "queued") }
        let hold = ["hold #1 queued", "up #1 queued"]
        #expect(trace == ["down #1", "didDisconnect(CBErrorDomain 6): connecting"] + Self.connected.prefix(2) + hold + Self.connected.suffix(1))
    }

    @Test("Order 5: lost before it was ready: didDisconnect comes, for didConnect had come")
    func lostBeforeReady() async throws {
        let (stage, button) = try await Self.disconnected()
        await stage.button.setFaults { $0.neverAnswers = true }
        button.connect()
        await Self.wake(stage)
        await stage.carryAway()
        #expect(stage.program.take() == ["didConnect: connected", "didDisconnect(CBErrorDomain 6): connecting"])
    }

    @Test("B62: the button's own end of the link is told as code 7")
    func endedByTheButton() async throws {
        let (stage, button) = try await Stage.paired()
        let errors = Shared<[NSError?]>([])
        let listener = Listener { errors.value.append($0 as NSError?) }
        button.delegate = listener
        await stage.button.setFaults { $0.packetsUntilDisconnect = 0 }
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(1))
        let error = try #require(errors.value.first ?? nil)
        #expect(error.domain == "CBErrorDomain" && error.code == 7)
        #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == error.localizedDescription)
        #expect(error.userInfo[NSUnderlyingErrorKey] is LinkError)
    }

    // MARK: Order 6

    @Test("Order 6, B45: Bluetooth off and on: the state first, then didDisconnect; connected again without the program's help")
    func offAndOn() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.air.setState(.poweredOff)
        await stage.pass(.seconds(1))
        #expect(stage.program.take() == ["state poweredOff: poweredOff", "didDisconnect(CBErrorDomain 6): connecting"])
        #expect(button.state == .connecting)
        await stage.air.setState(.poweredOn)
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == ["state poweredOn: poweredOn"] + Self.connected)
    }

    @Test("Order 6: the daemon killed and back: the same with resetting")
    func resetting() async throws {
        let (stage, _) = try await Stage.paired()
        await stage.air.setState(.resetting)
        await stage.pass(.seconds(1))
        await stage.air.setState(.poweredOn)
        await stage.pass(.seconds(3))
        #expect(
            stage.program.take() == [
                "state resetting: resetting", "didDisconnect(CBErrorDomain 6): connecting", "state poweredOn: poweredOn",
            ] + Self.connected
        )
    }

    @Test("B.6.4: connect() with Bluetooth off is taken up when it is on")
    func connectWhenOff() async throws {
        let (stage, button) = try await Self.disconnected()
        await stage.air.setState(.poweredOff)
        await stage.settle()
        button.connect()
        #expect(button.state == .connecting)
        await stage.pass(.seconds(1))
        await stage.air.setState(.poweredOn)
        await Self.wake(stage)
        #expect(Self.withoutPresses(stage.program.take()) == ["state poweredOff: poweredOff", "state poweredOn: poweredOn"] + Self.connected)
    }

    // MARK: Failures for good

    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var attempts = 1
        let calls: [String]
        let fault: @Sendable (inout Faults) -> Void
    }

    @Test(
        "B10, B62, B63, B.8: a failure for good: didDisconnect for the link that was told, then didFailToConnect, and no pending connection",
        arguments: [
            Failure(testDescription: "no service, thrice", attempts: 3, calls: ["flic.couldNotDiscoverBluetoothServices"]) {
                $0.link = .serviceMissing
            },
            Failure(testDescription: "no notifications, thrice", attempts: 3, calls: ["flic.unknown"]) { $0.link = .notifyRefused },
            Failure(testDescription: "signature", calls: ["flic.verificationSignatureMismatch"]) { $0.usesForeignKey = true },
            Failure(testDescription: "no room, twice", calls: ["flic.tooManyApps"]) { $0.refusesEverybody = true },
        ]
    )
    func failure(_ failure: Failure) async throws {
        let (stage, button) = try await Self.disconnected()
        await stage.button.setFaults(failure.fault)
        button.connect()
        for _ in 1..<failure.attempts {
            await Self.wake(stage)
            #expect(stage.program.take() == ["didConnect: connected", "didDisconnect(CBErrorDomain 6): connecting"])
        }
        await Self.wake(stage)
        await stage.pass(.seconds(70), step: .milliseconds(500))
        let calls = failure.calls.map { "didFailToConnect(\($0)): disconnected" }
        #expect(stage.program.take() == ["didConnect: connected", "didDisconnect(CBErrorDomain 7): disconnected"] + calls)
        #expect(button.state == .disconnected)
        await Self.wake(stage)
        #expect(stage.program.take() == [])
        // The program may try again.
        await stage.button.setFaults { $0 = Faults() }
        button.connect()
        await Self.wake(stage)
        #expect(Self.withoutPresses(stage.program.take()) == Self.connected)
    }

    @Test("B.6.4: a session that ends while the link stays makes no call; the button is not ready until it is verified anew")
    func sessionEnds() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.button.endSessions(reason: 1)
        await stage.pass(.seconds(1))
        #expect(stage.program.take() == [])
        #expect(button.state == .connected && !button.isReady)
        await stage.pass(.seconds(30), step: .milliseconds(500))
        #expect(stage.program.take() == ["isReady: connected ready", "battery same=true: connected ready"])
    }

    // MARK: Two programs

    @Test("B92: two programs share a button: both get its presses, and one that disconnects leaves the other its link")
    func twoPrograms() async throws {
        let (one, first) = try await Stage.paired()
        let two = Stage(near: one)
        await two.settle()
        await two.button.enterPublicMode()
        two.program.scan()
        await two.pass(.seconds(5))
        await one.settle()
        let second = try #require(two.manager.buttons().first)
        #expect(second !== first && second.identifier == first.identifier)
        _ = (one.program.take(), two.program.take())
        await one.press(for: .milliseconds(100))
        await two.settle()
        #expect(one.program.take() == ["down #1", "up #1", "click #1"])
        #expect(two.program.take() == ["down #1", "up #1", "click #1"])
        second.disconnect()
        await two.pass(.seconds(3))
        await one.settle()
        #expect(two.program.take() == ["didDisconnect(nil): disconnected"])
        await one.press(for: .milliseconds(100))
        #expect(one.program.take() == ["down #2", "up #2", "click #2"])
    }
}

/// Hears only how links end; all optional methods are missing (contract A6).
private final class Listener: NSObject, FLICButtonDelegate {
    private let ended: ((any Error)?) -> Void

    init(_ ended: @escaping ((any Error)?) -> Void) { self.ended = ended }

    func buttonDidConnect(_ button: FLICButton) {}
    func buttonIsReady(_ button: FLICButton) {}
    func button(_ button: FLICButton, didDisconnectWithError error: (any Error)?) { ended(error) }
    func button(_ button: FLICButton, didFailToConnectWithError error: (any Error)?) {}
}
