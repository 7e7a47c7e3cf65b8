import FlicProtocol
import Testing

@Suite("Names that all apps share (protocol 9.1)")
struct NameSyncTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton()
    private let door = Rename(name: ButtonName("Door"), timestamp: 0x0102_0304_0506)
    private let gate = Rename(name: ButtonName("Gate"), timestamp: 0x0102_0304_0507)

    /// A session whose name request is out, whatever it is, next to the one for the battery.
    private mutating func exchanging(_ memory: HostSession.Memory, _ request: some Packet) -> HostSession {
        var session = button.initialisingClient(memory)
        let requests = button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest()) + button.hears(request)
        #expect(session.receive(button.says(button.sameBoot())) == [.progress(.known), .queueFinished] + requests)
        #expect(session.receive(button.says(button.battery(0))) == [.battery(BatteryLevel(raw: 0))] + button.hears(GetFirmwareVersionRequest()))
        #expect(session.receive(button.says(button.firmware(10))) == [.firmwareVersion(10)])
        return session
    }

    private mutating func getting() -> HostSession { exchanging(ScriptedButton.memory(), GetNameRequest()) }

    private mutating func settingOfflineRename() -> HostSession {
        exchanging(ScriptedButton.memory(pendingRename: door), button.setName(door, isForced: false))
    }

    // MARK: Start-up

    @Test("The name of the button is asked for; if it is the one that is known, there is nothing to tell")
    mutating func sameName() {
        var session = getting()
        #expect(session.receive(button.says(button.name("Desk"))) == [])
    }

    @Test("Another app's rename is found in the start-up", arguments: ["Door", "", "desk", "Desk "])
    mutating func otherName(_ name: String) {
        var session = getting()
        #expect(session.receive(button.says(button.name(name))) == [.nameChanged(ButtonName(name))])
    }

    @Test("A rename made offline is sent with its own time and without force, and confirmed")
    mutating func offline() {
        var session = settingOfflineRename()
        #expect(session.receive(button.says(button.nameSet("Door"))) == [.renameConfirmed(door)])
        #expect(session.receive(button.says(button.renamed("Door"))) == [])
    }

    @Test("A rename made offline gives way to a newer one of another app")
    mutating func offlineLost() {
        var session = settingOfflineRename()
        #expect(session.receive(button.says(button.nameSet("Lamp"))) == [.nameChanged(ButtonName("Lamp"))])
        #expect(session.receive(button.says(button.renamed("Lamp"))) == [])
    }

    @Test("A rename during pairing is sent in the start-up, without force")
    mutating func whilePairing() {
        var session = button.client(nil)
        #expect(session.rename(door) == [])
        _ = session.start()
        _ = session.receive(button.says(button.certificate))
        #expect(session.rename(gate) == [])
        button.beginFullSession()
        _ = session.receive(button.says(button.introduction))
        _ = button.hears(button.initRequest())
        let requests = button.hears(button.parameters()) + button.hears(button.advertising()) + button.hears(button.setName(gate, isForced: false))
        let begun: [Action] = [.progress(EventPosition(bootID: 1, eventCount: 3)), .queueFinished]
        #expect(session.receive(button.says(button.newBoot(1, count: 3))) == begun + requests)
    }

    // MARK: In the session

    @Test("A rename in a session is forced, and confirmed")
    mutating func forced() {
        var session = button.runningClient()
        #expect(session.rename(door) == button.hears(button.setName(door, isForced: true)))
        #expect(session.receive(button.says(button.nameSet("Door"))) == [.renameConfirmed(door)])
        #expect(session.rename(gate) == button.hears(button.setName(gate, isForced: true)))
        #expect(session.receive(button.says(button.nameSet("Gate"))) == [.renameConfirmed(gate)])
    }

    @Test("The name may be taken away")
    mutating func empty() {
        var session = button.runningClient()
        let none = Rename(name: ButtonName(""), timestamp: 1)
        #expect(session.rename(none) == button.hears(button.setName(none, isForced: true)))
        #expect(session.receive(button.says(button.nameSet(""))) == [.renameConfirmed(none)])
    }

    @Test("A rename while the name is asked for is sent after the answer, forced")
    mutating func duringGet() {
        var session = getting()
        #expect(session.rename(door) == [])
        #expect(session.receive(button.says(button.name("Lamp"))) == button.hears(button.setName(door, isForced: true)))
        #expect(session.receive(button.says(button.nameSet("Door"))) == [.renameConfirmed(door)])
    }

    @Test("A rename while another is under way is sent after the answer; only the last one is confirmed")
    mutating func duringSet() {
        var session = button.runningClient()
        #expect(session.rename(door) == button.hears(button.setName(door, isForced: true)))
        #expect(session.rename(Rename(name: ButtonName("Lamp"), timestamp: 1)) == [])
        #expect(session.rename(gate) == [])
        #expect(session.receive(button.says(button.nameSet("Door"))) == button.hears(button.setName(gate, isForced: true)))
        #expect(session.receive(button.says(button.nameSet("Gate"))) == [.renameConfirmed(gate)])
    }

    @Test("The same name at another time is another rename")
    mutating func sameNameAgain() {
        var session = button.runningClient()
        let again = Rename(name: door.name, timestamp: door.timestamp + 1)
        #expect(session.rename(door) == button.hears(button.setName(door, isForced: true)))
        #expect(session.rename(again) == [])
        #expect(session.receive(button.says(button.nameSet("Door"))) == button.hears(button.setName(again, isForced: true)))
        #expect(session.receive(button.says(button.nameSet("Door"))) == [.renameConfirmed(again)])
    }

    @Test("A rename may lose even with force")
    mutating func forcedLost() {
        var session = button.runningClient()
        #expect(session.rename(door) == button.hears(button.setName(door, isForced: true)))
        #expect(session.receive(button.says(button.nameSet("Lamp"))) == [.nameChanged(ButtonName("Lamp"))])
    }

    @Test("A rename waits for its turn among two other requests")
    mutating func waits() {
        var session = button.initialisingClient()
        _ = session.receive(button.says(button.sameBoot()))
        _ = button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        #expect(session.receive(button.says(button.name("Desk"))) == button.hears(GetFirmwareVersionRequest()))
        #expect(session.rename(door) == [])
        let expected: [Action] = [.firmwareVersion(10)] + button.hears(button.setName(door, isForced: true))
        #expect(session.receive(button.says(button.firmware(10))) == expected)
    }

    @Test("The time of a rename has 47 bits")
    mutating func largestTimestamp() {
        var session = button.runningClient()
        let late = Rename(name: ButtonName("Z"), timestamp: 1 << 47 - 1)
        #expect(session.rename(late) == button.hears(button.setName(late, isForced: true)))
    }

    @Test("After the end a rename sends nothing")
    mutating func afterEnd() {
        var session = button.runningClient()
        _ = session.close()
        #expect(session.rename(door) == [])
        #expect(session.setConnectionParameters(.low) == [])
    }

    // MARK: Another app

    @Test("Another app's rename is told; the own name again is not")
    mutating func notification() {
        var session = button.runningClient()
        #expect(session.receive(button.says(button.renamed("Lamp"))) == [.nameChanged(ButtonName("Lamp"))])
        #expect(session.receive(button.says(button.renamed("Lamp"))) == [])
        #expect(session.receive(button.says(button.renamed(""))) == [.nameChanged(ButtonName(""))])
    }

    @Test("Names of one to six bytes are names, too (protocol 11)", arguments: 1...6)
    mutating func shortName(_ length: Int) {
        var session = button.runningClient()
        let name = String(repeating: "x", count: length)
        #expect(session.receive(button.says(button.renamed(name))) == [.nameChanged(ButtonName(name))])
    }

    @Test("Another app's rename is ignored while the own one is pending; what the button says in the end counts")
    mutating func notificationWhilePending() {
        var session = button.runningClient()
        #expect(session.rename(door) == button.hears(button.setName(door, isForced: true)))
        #expect(session.receive(button.says(button.renamed("Lamp"))) == [])
        #expect(session.receive(button.says(button.nameSet("Lamp"))) == [.nameChanged(ButtonName("Lamp"))])
    }
}
