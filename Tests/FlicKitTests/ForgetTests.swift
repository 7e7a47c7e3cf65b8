import FlicClient
import FlicKit
import FlicSimulator
import Foundation
import Testing

@Suite("Forget")
struct ForgetTests {
    @Test("Order 8, B30, B.6.5: forget when not connected: only the completion, and it is out of the list inside it")
    func notConnected() async throws {
        let (stage, button) = try await ConnectionTests.disconnected()
        stage.program.onNext("forgot") { button in
            stage.program.remark("whole \(button?.name != nil) \(button?.serialNumber ?? "")")
        }
        stage.program.forget(button)
        #expect(stage.manager.buttons() == [button])
        await stage.settle()
        let serial = stage.button.identity.serialNumber
        #expect(stage.program.take() == ["forgot nil same=true listed=false", "whole true \(serial)"])
    }

    @Test("Order 8, B30, B.6.5: forget when connecting: only the completion, and the object is disconnected")
    func connecting() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.carryAway()
        _ = stage.program.take()
        stage.program.forget(button)
        await stage.settle()
        #expect(stage.program.take() == ["forgot nil same=true listed=false"])
        #expect(button.state == .disconnected)
        await stage.bringBack()
        await ConnectionTests.wake(stage)
        #expect(stage.program.take() == [])
    }

    @Test("Order 8, B.6.5: forget when connected: didDisconnect(nil), no longer listed, then the completion, then nothing")
    func connected() async throws {
        let (stage, button) = try await Stage.paired()
        stage.program.forget(button)
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == ["didDisconnect(nil): disconnected unlisted", "forgot nil same=true listed=false"])
        await ConnectionTests.wake(stage)
        #expect(stage.program.take() == [])
        #expect(await !stage.button.isConnected)
    }

    @Test("Order 8: disconnect() and forgetButton() at once: one didDisconnect(nil), one completion")
    func disconnectFirst() async throws {
        let (stage, button) = try await Stage.paired()
        button.disconnect()
        stage.program.forget(button)
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == ["didDisconnect(nil): disconnected unlisted", "forgot nil same=true listed=false"])
    }

    @Test("Order 8, B30: again: alreadyForgotten, with the identifier; two at once: the first nil, the second alreadyForgotten")
    func again() async throws {
        let (stage, button) = try await ConnectionTests.disconnected()
        stage.program.forget(button, "first")
        stage.program.forget(button, "second")
        await stage.settle()
        stage.program.forget(button, "third")
        await stage.settle()
        #expect(
            stage.program.take() == [
                "first nil same=true listed=false",
                "second flic.alreadyForgotten same=true listed=false",
                "third flic.alreadyForgotten same=true listed=false",
            ]
        )
    }

    @Test("Order 8: several in a loop: completions in the order of the calls")
    func severalInALoop() async throws {
        let (stage, one) = try await ConnectionTests.disconnected()
        let other = SimulatedButton(seed: 5, loop: stage.loop)
        await stage.air.place(other)
        await other.enterPublicMode()
        stage.program.scan()
        await stage.pass(.seconds(5))
        let two = try #require(stage.manager.buttons().last)
        _ = stage.program.take()
        for (name, button) in [("two", two), ("one", one), ("two again", two), ("stranger", FLICButton())] { stage.program.forget(button, name) }
        await stage.pass(.seconds(3))
        let trace = stage.program.take().filter { $0 != "stranger flic.alreadyForgotten same=true listed=false" }
        #expect(
            trace == [
                "didDisconnect(nil): disconnected unlisted", "two nil same=true listed=false",
                "one nil same=true listed=false", "two again flic.alreadyForgotten same=true listed=false",
            ]
        )
    }

    @Test("B33: the async form returns the identifier, and throws the second time")
    func asyncForm() async throws {
        let (stage, button) = try await ConnectionTests.disconnected()
        #expect(try await stage.passing { try await stage.manager.forgetButton(button) } == button.identifier)
        let error = await #expect(throws: (any Error).self) {
            try await stage.passing { try await stage.manager.forgetButton(button) }
        }
        #expect(Program.text(error) == "flic.alreadyForgotten")
    }

    @Test("B.6.5, B53, B54: afterwards the values are readable, and connect(), disconnect() and settings are ignored")
    func afterwards() async throws {
        let (stage, button) = try await Stage.paired()
        let (name, identifier, uuid) = (button.name, button.identifier, button.uuid)
        stage.program.forget(button)
        await stage.pass(.seconds(3))
        _ = stage.program.take()
        button.connect()
        #expect(button.state == .disconnected)
        button.disconnect()
        button.nickname = "ghost"
        await ConnectionTests.wake(stage)
        #expect(stage.program.take() == [])
        #expect(button.name == name && button.identifier == identifier && button.uuid == uuid && button.state == .disconnected)
        #expect(await stage.button.name.isEmpty)
    }

    @Test("B.6.5, A2: a forgotten button is gone in the next launch, and paired anew it is a new object with the same identifier")
    func pairAnew() async throws {
        let (stage, button) = try await Stage.paired()
        stage.program.forget(button)
        await stage.pass(.seconds(3))
        let new = try await stage.pair()
        #expect(new !== button && new.identifier == button.identifier)
        stage.program.forget(new)
        await stage.pass(.seconds(3))
        let next = await stage.relaunched()
        await next.settle()
        #expect(next.manager.buttons().isEmpty)
    }

    @Test("B.6.5, B.8: a store that cannot be written: unknown with the cause underneath, and the button stays as it was")
    func storeFails() async throws {
        let store = ScriptedStore()
        let (stage, button) = try await Stage.paired(store: store)
        store.failsToSave = true
        let errors = Shared<[NSError?]>([])
        stage.manager.forgetButton(button) { uuid, error in
            errors.value.append(uuid == button.identifier ? error as NSError? : nil)
        }
        await stage.settle()
        let error = try #require(errors.value.first ?? nil)
        #expect(Program.text(error) == "flic.unknown")
        #expect(error.userInfo[NSUnderlyingErrorKey] is FlicError)
        #expect(stage.manager.buttons() == [button] && button.state == .connected)
        await stage.press(for: .milliseconds(100))
        #expect(stage.program.take() == ["down #1", "up #1", "click #1"])
        store.failsToSave = false
        stage.program.forget(button)
        await stage.settle()
        #expect(stage.program.take().last == "forgot nil same=true listed=false")
    }
}
