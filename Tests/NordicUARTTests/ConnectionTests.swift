import FlicSimulator
import GATT
import Testing
import UARTDoubles

@testable import NordicUART

@Suite("Connections of NRFManager", .timeLimit(.minutes(1)))
struct ConnectionTests {
    private static let connected = ["C connected, connected uart", "D connected to A, connected uart"]
    private static let disconnected = ["C disconnected, disconnected none", "D disconnected from '', disconnected none"]

    @Test("C4, C20, C25: with autoConnect any device with the service is connected, when its notifications are on")
    func automatic() async throws {
        try await Stage.play { stage in
            #expect(await stage.asked() == ["listen for uart"])
            #expect(stage.manager.connectionStatus == .scanning)
            await stage.central.hear(Stage.device, "A")
            await stage.tell(.connected)
            let heard = await stage.heard()
            #expect(heard == [] && stage.manager.connectionStatus == .scanning)
            await stage.tell(.ready(mtu: 23))
            #expect(await stage.heard() == Self.connected)
            #expect(await stage.asked() == ["stop", "open \(Stage.device)"], "C23: the search has ended")
        }
    }

    @Test("C4: without autoConnect nothing is searched for until that is asked for; then it waits for power")
    func manual() async throws {
        try await Stage.play(isOn: false, autoConnect: false) { stage in
            stage.manager.connect("A")
            let asked = await stage.asked()
            #expect(asked == [] && stage.manager.connectionStatus == .disconnected)
            await stage.tell(.poweredOn)
            let searched = await stage.asked()
            #expect(searched == ["listen for uart"] && stage.manager.connectionStatus == .scanning)
            await stage.connect()
            #expect(await stage.heard() == Self.connected)
        }
    }

    @Test("C12, C27: a name is compared; a device without one is not meant, and harms nobody")
    func name() async throws {
        try await Stage.play(autoConnect: false) { stage in
            stage.manager.connect("A")
            #expect(await stage.asked() == ["listen for uart"])
            await stage.central.hear(Stage.other, nil)
            await stage.central.hear(Stage.other, "B")
            #expect(await stage.asked() == [])
            await stage.connect()
            #expect(await stage.heard() == Self.connected)
        }
    }

    @Test("C11, C27: a device without a name is connected where any will do, and has the name ''")
    func nameless() async throws {
        try await Stage.play { stage in
            #expect(stage.manager.showName() == "")
            await stage.connect(nil)
            #expect(await stage.heard() == ["C connected, connected uart", "D connected to , connected uart"])
        }
    }

    @Test("C22: of what others are connected to only the device of that name is taken")
    func others() async throws {
        try await Stage.play(autoConnect: false) { stage in
            await stage.central.remember(Stage.other, "B")
            await stage.central.setLinkedByOthers(Stage.other)
            stage.manager.connect("A")
            #expect(await stage.asked() == ["listen for uart"])
            stage.manager.connect("B")
            #expect(await stage.asked() == ["listen for uart", "stop", "open \(Stage.other)"])
        }
    }

    @Test("C21, C24: a loss is told once, and the same name is searched for again")
    func loss() async throws {
        try await Stage.play { stage in
            stage.manager.connect("A")
            await stage.begin()
            await stage.tell(.closed(LinkError(.timeout)))
            #expect(await stage.heard() == Self.disconnected)
            let searched = await stage.asked()
            #expect(searched == ["listen for uart"] && stage.manager.connectionStatus == .scanning)
            await stage.central.hear(Stage.other, "B")
            #expect(await stage.asked() == [])
            await stage.connect()
            #expect(await stage.heard() == Self.connected)
        }
    }

    @Test("Without autoConnect a loss is the end; C7: switched on later it begins a search at once, for the name of before")
    func later() async throws {
        try await Stage.play(autoConnect: false) { stage in
            stage.manager.connect("A")
            await stage.begin()
            await stage.tell(.closed(LinkError(.timeout)))
            #expect(await stage.heard() == Self.disconnected)
            let asked = await stage.asked()
            #expect(asked == [] && stage.manager.connectionStatus == .disconnected)
            stage.manager.autoConnect = true
            #expect(await stage.asked() == ["listen for uart"])
            await stage.central.hear(Stage.other, "B")
            #expect(await stage.asked() == [])
        }
    }

    @Test("C7: while a device is connected, switching autoConnect is without effect on it, and counts at its end")
    func switched() async throws {
        try await Stage.play { stage in
            await stage.begin()
            stage.manager.autoConnect = false
            #expect(await stage.asked() == [])
            await stage.tell(.closed(LinkError(.timeout)))
            #expect(await stage.heard() == Self.disconnected)
            #expect(await stage.asked() == [])
        }
    }

    @Test("C13, C33: a disconnect is told once; with autoConnect the search begins anew, for any device")
    func disconnect() async throws {
        try await Stage.play { stage in
            stage.manager.connect("A")
            await stage.begin()
            stage.manager.disconnect()
            #expect(await stage.asked() == ["close"])
            await stage.tell(.closed(nil))
            #expect(await stage.heard() == Self.disconnected)
            #expect(await stage.asked() == ["listen for uart"])
            await stage.connect("B")
            #expect(await stage.heard().last == "D connected to B, connected uart")
        }
    }

    @Test("C33: with autoConnect off it stays disconnected")
    func disconnectForGood() async throws {
        try await Stage.play(autoConnect: false) { stage in
            stage.manager.connect("")
            await stage.begin()
            stage.manager.disconnect()
            await stage.settle()
            await stage.tell(.closed(nil))
            #expect(await stage.heard() == Self.disconnected)
            let asked = await stage.asked()
            #expect(asked == ["close"] && stage.manager.connectionStatus == .disconnected)
        }
    }

    @Test("C34: a disconnect when idle does nothing; while searching it ends the search, and nobody is called")
    func disconnectIdle() async throws {
        try await Stage.play(autoConnect: false) { stage in
            stage.manager.disconnect()
            #expect(await stage.asked() == [])
            stage.manager.connect("A")
            #expect(await stage.asked() == ["listen for uart"])
            stage.manager.disconnect()
            #expect(await stage.asked() == ["stop"])
            let heard = await stage.heard()
            #expect(heard == [] && stage.manager.connectionStatus == .disconnected)
        }
    }

    @Test("C35: a connect while connected does nothing")
    func connectTwice() async throws {
        try await Stage.play { stage in
            await stage.begin()
            stage.manager.connect("B")
            #expect(await stage.asked() == [])
            #expect(await stage.heard() == [])
        }
    }

    @Test("C31: Bluetooth off ends the connection, once; the search begins again when it is back")
    func power() async throws {
        try await Stage.play { stage in
            await stage.begin()
            await stage.tell(.poweredOff)
            await stage.tell(.closed(LinkError(.notPoweredOn)))
            #expect(await stage.heard() == Self.disconnected)
            #expect(stage.manager.showName() == "" && stage.manager.connectionStatus == .disconnected)
            #expect(!stage.manager.writeString("x"))
            await stage.tell(.poweredOn)
            #expect(await stage.asked() == ["listen for uart"])
            await stage.connect()
            #expect(await stage.heard() == Self.connected)
        }
    }

    @Test("C32: a connection that fails is tried again after a while, and nobody is called", arguments: [true, false])
    func failure(autoConnect: Bool) async throws {
        try await Stage.play(autoConnect: autoConnect) { stage in
            if !autoConnect { stage.manager.connect("A") }
            await stage.settle()
            await stage.central.hear(Stage.device, "A")
            await stage.tell(.closed(LinkError(.failed, detail: "busy")))
            #expect(stage.manager.connectionStatus == .scanning)
            await stage.loop.pause(for: .seconds(2))
            #expect(await stage.asked() == ["listen for uart", "stop", "open \(Stage.device)", "listen for uart"])
            #expect(await stage.heard() == [])
            #expect(stage.program.remarks.lines.contains { $0.contains("busy") }, "C36: the error is told")
        }
    }

    @Test("C9: closures may be set at any time, and are read when something happens")
    func closures() async throws {
        try await Stage.play { stage in
            stage.manager.connectionCallback = { [program = stage.program] in program.hear("late") }
            stage.manager.delegate = nil
            await stage.connect()
            #expect(await stage.heard() == ["late, connected uart"])
            stage.manager.disconnectionCallback = nil
            await stage.tell(.closed(nil))
            #expect(await stage.heard() == [])
        }
    }
}
