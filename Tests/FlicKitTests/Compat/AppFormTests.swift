import FlicKit
import FlicSimulator
import Testing

@Suite("Programs in the form of iOS")
struct AppFormTests {
    @Test("A1, A2, A5, A9-A13, A21-A23, A30: a screen in the main actor lists, scans, names and forgets")
    @MainActor
    func screen() async throws {
        let model = ButtonListModel()
        let (stage, button) = try await Stage.paired()
        model.managerDidRestoreState(stage.manager)
        #expect(model.rows.map(\.id) == [button.id])
        #expect(model.rows.map(\.isConnected) == [true])
        #expect(model.contains(button) && !model.contains(FLICButton()))
        model.configure(button)
        model.reload(stage.manager)
        #expect(model.rows.map(\.title) == ["Hall"])
        model.manager(stage.manager, didUpdate: stage.manager.state)
        #expect(model.status == "On" && model.history == ["same true"])
    }

    @Test("A2: buttons are objects, equal by identity, and may be kept in sets")
    func identity() async throws {
        let (stage, button) = try await Stage.paired()
        #expect(stage.manager.buttons()[0] === button)
        #expect(stage.manager.buttons().firstIndex(of: button) == 0)
        #expect(Set([button, button, FLICButton()]).count == 2)
        #expect(FLICButton() != FLICButton())
        await stage.carryAway()
        await stage.bringBack()
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        #expect(stage.manager.buttons()[0] === button)
    }

    @Test("A7: a relay passes everything on, optional methods too")
    func relay() async throws {
        let (stage, button) = try await Stage.paired()
        let relay = RelayingDelegate()
        relay.other = stage.program
        button.delegate = relay
        button.triggerMode = .clickAndDoubleClickAndHold
        await PressTests.perform(PressTests.presses[2], on: stage)
        await PressTests.perform(PressTests.presses[3], on: stage)
        await PressTests.perform(PressTests.presses[0], on: stage)
        #expect(PressTests.letters(stage.program.take()) == "dhududu2duc")
        await stage.button.setName("Relayed")
        await stage.pass(.seconds(1))
        await stage.carryAway()
        await stage.button.factoryReset()
        await stage.bringBack()
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        button.connect()
        await stage.settle()
        #expect(
            stage.program.take() == [
                "nickname Relayed same=true: connected ready", "didDisconnect(CBErrorDomain 6): connecting",
            ] + UnpairedTests.unpairing + ["didFailToConnect(flic.unpaired): disconnected unpaired"]
        )
        #expect(relay.button === button)
    }

    @Test("A6, A7: optional methods that are missing do nothing, called either way")
    func missingMethods() {
        let counter = ClickCounter()
        let delegate: any FLICButtonDelegate = counter
        let button = FLICButton()
        delegate.button(button, didReceiveButtonHold: false, age: 0)
        delegate.button?(button, didReceiveButtonHold: false, age: 0)
        delegate.button?(button, didReceiveButtonClick: true, age: 3)
        delegate.button(button, didReceiveButtonClick: true, age: 3)
        #expect(counter.clicks == 2)
        #expect(delegate.button != nil)
    }

    @Test("A8: a subclass overrides an optional method that its base class has")
    func overriding() async throws {
        let (stage, button) = try await Stage.paired()
        let counter = DoubleCounter()
        button.delegate = counter
        await stage.press(for: .milliseconds(100))
        #expect(counter.clicks == 2)
    }
}
