import BlueZ
import DBus
import FlicClient
import FlicSimulator
import GATT
import Testing

@Suite("BlueZ's central against an org.bluez that misbehaves", .timeLimit(.minutes(1)), .virtualTime)
struct CentralHostileTests {
    /// An attempt to use the button.
    ///
    /// - Returns: What the user was told of the link, after it has closed it.
    private func attempt(_ stage: FakeStage, _ user: FakeLinkUser, timeout: Duration = .seconds(20)) async -> [String] {
        _ = user.transcript.take()
        await stage.button.enterPublicMode()
        let before = await stage.fake.journal.count
        await user.open(timeout: timeout)
        // It comes to an end by itself, or the fake has done all that it will do and the user has heard of it.
        let settling = Task(executorPreference: VirtualTime.clock) {
            await stage.fake.wait { $0.journal.dropFirst(before).contains { $0.contains("ServicesResolved=true") } }
            for _ in 0..<3 { await user.roundTrip() }
            if !Task.isCancelled { user.transcript.note("settled") }
        }
        await user.transcript.wait { $0.contains { $0.hasPrefix("ready") || $0.hasPrefix("closed") || $0 == "settled" } }
        settling.cancel()
        await settling.value
        await user.close()
        let lines = await user.transcript.wait { $0.contains { $0.hasPrefix("closed") } }
        return lines.filter { $0 != "settled" && !$0.hasPrefix("state") }
    }

    private static let properties: [(interface: String, property: String)] = [
        ("org.bluez.Adapter1", "Address"), ("org.bluez.Adapter1", "Powered"), ("org.bluez.Adapter1", "PowerState"), ("org.bluez.Adapter1", "Roles"),
        ("org.bluez.Adapter1", "Discovering"),
        ("org.bluez.Device1", "Address"), ("org.bluez.Device1", "AddressType"), ("org.bluez.Device1", "Adapter"), ("org.bluez.Device1", "Connected"),
        ("org.bluez.Device1", "ServicesResolved"), ("org.bluez.Device1", "UUIDs"), ("org.bluez.Device1", "RSSI"),
        ("org.bluez.Device1", "ManufacturerData"), ("org.bluez.Device1", "Name"),
        ("org.bluez.GattService1", "UUID"), ("org.bluez.GattService1", "Device"), ("org.bluez.GattCharacteristic1", "UUID"),
        ("org.bluez.GattCharacteristic1", "Service"), ("org.bluez.GattCharacteristic1", "Flags"), ("org.bluez.GattCharacteristic1", "Value"),
        ("org.bluez.GattCharacteristic1", "MTU"), ("org.bluez.GattCharacteristic1", "Notifying"),
    ]

    @Test(
        "A property that is missing, or of a wrong type: the link is told as closed once, and later ones are as good as new",
        arguments: properties,
        [DBusValue?.none, .structure([.string("nonsense"), .bytes([1])]), .string(""), .int64(.min)]
    )
    func distortion(_ place: (interface: String, property: String), value: DBusValue?) async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        let user = FakeLinkUser(stage)
        await user.start()
        await stage.fake.distort { interface, properties in
            if interface == place.interface, properties[place.property] != nil { properties[place.property] = value }
        }
        // It has to learn of the distortion: the daemon comes anew.
        await stage.fake.crash()
        try await stage.fake.start()
        await stage.fake.wait { $0.calls.count { $0.hasPrefix("ObjectManager.GetManagedObjects") } >= 2 }
        await stage.fake.addDevice(stage.button.address)
        let told = await attempt(stage, user, timeout: .milliseconds(300))
        #expect(told.count { $0.hasPrefix("closed") } == 1 && told.last?.hasPrefix("closed") == true)

        await stage.fake.distort(nil)
        await stage.fake.crash()
        await user.transcript.wait(for: "state resetting")
        _ = user.transcript.take()
        try await stage.fake.start()
        await user.transcript.wait(for: "state poweredOn")
        await stage.fake.addDevice(stage.button.address)
        let good = await attempt(stage, user)
        #expect(good.prefix(2) == ["connected", "ready 140"])
        #expect(good.count { $0.hasPrefix("closed") } == 1)
    }

    @Test("Without the property MTU, before BlueZ 5.62, packets are as short as any device takes")
    func noMTU() async throws {
        let stage = try await FakeStage()
        await stage.fake.distort { _, properties in properties["MTU"] = nil }
        await stage.fake.addDevice(stage.button.address)
        let user = FakeLinkUser(stage)
        await user.start()
        #expect(await attempt(stage, user).prefix(2) == ["connected", "ready 23"])
    }

    @Test("Signals that come twice are told once")
    func twice() async throws {
        let stage = try await FakeStage()
        await stage.fake.setFaults { $0.signalCopies = 2 }
        await stage.fake.addDevice(stage.button.address)
        let user = FakeLinkUser(stage)
        await user.start()
        #expect(await attempt(stage, user) == ["connected", "ready 140", "closed nil"])
    }

    @Test("The device's object vanishes while it is connected, or while it is being connected: the link is told as closed", arguments: [true, false])
    func deviceVanishes(isConnected: Bool) async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        if isConnected { await stage.button.enterPublicMode() }
        let user = FakeLinkUser(stage)
        await user.start()
        await user.open()
        if isConnected { await user.transcript.wait(for: "ready 140") }
        await stage.fake.wait { $0.calls.contains { $0.hasPrefix("Device1.Connect") } }
        await stage.fake.removeDevice(stage.button.address)
        await user.transcript.wait { $0.contains { $0.hasPrefix("closed") } }
        // It can be used again as soon as it is there again.
        await stage.fake.addDevice(stage.button.address)
        #expect(await attempt(stage, user).contains("ready 140"))
    }

    @Test("Signals of nonsense, with wrong arguments or about objects that do not exist, are ignored")
    func nonsense() async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        await stage.button.enterPublicMode()
        let user = FakeLinkUser(stage)
        await user.start()
        await user.open()
        await user.transcript.wait(for: "ready 140")
        let device = stage.device
        let (properties, manager) = ("org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager")
        let deviceInterface = DBusValue.string("org.bluez.Device1")
        for signal in [
            Signal(at: device, properties, "PropertiesChanged", []),
            Signal(at: device, properties, "PropertiesChanged", [deviceInterface]),
            Signal(at: device, properties, "PropertiesChanged", [.int32(1), .int32(2), .int32(3)]),
            Signal(at: device, properties, "PropertiesChanged", [deviceInterface, .dictionary(key: "y", value: "b", [.byte(1): .boolean(true)])]),
            Signal(at: device + "/nowhere", properties, "PropertiesChanged", [deviceInterface, .properties(["Connected": .boolean(false)])]),
            Signal(at: "/", manager, "InterfacesRemoved", [.objectPath(device)]),
            Signal(at: "/", manager, "InterfacesRemoved", [.string(device), .strings(["org.bluez.Device1"])]),
            Signal(at: "/", manager, "InterfacesAdded", [.objectPath(device), .strings([])]),
            Signal(at: "/", manager, "InterfacesAdded", [.objectPath("/org/bluez/hci9"), .dictionary(key: "s", value: "a{sv}", [:])]),
            Signal(at: "/", "org.example.Other1", "Whatever", [.variant(.variant(.string("?")))]),
        ] { await stage.fake.emit(signal) }
        await stage.fake.air.forge([7], from: stage.button.address)
        await user.transcript.wait(for: "value [7]")
        #expect(user.transcript.lines == ["state poweredOn", "connected", "ready 140", "value [7]"])
    }

    @Test(
        "Calls that are refused for ever: the link is told as closed, with the reason",
        arguments: [
            ("Device1.Connect", DBusError(name: "org.bluez.Error.Failed", message: "le-connection-concurrent-connection-limit"), "limitReached"),
            ("Device1.Connect", DBusError(name: "org.bluez.Error.NotReady", message: "Resource Not Ready"), "notPoweredOn"),
            ("Device1.Connect", DBusError(name: "org.example.Error.Unheard", message: ""), "failed"),
            ("GattCharacteristic1.StartNotify", DBusError(name: "org.bluez.Error.NotPermitted", message: "Notify acquired"), "notifyRefused"),
            ("GattCharacteristic1.StartNotify", DBusError(name: "org.bluez.Error.NotAuthorized", message: ""), "bondingRequired"),
        ]
    )
    func refused(title: String, error: DBusError, code: String) async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        await stage.fake.trouble(with: title, .error(error))
        let user = FakeLinkUser(stage)
        await user.start()
        #expect(await attempt(stage, user).last == "closed \(code)")
        await stage.fake.endTrouble()
        if !title.hasSuffix("Connect") {
            // There was a link, and it was no good: bluetoothd is to learn the device anew.
            await stage.fake.wait { $0.journal.contains("signal removed \(stage.device)") }
            await stage.fake.addDevice(stage.button.address)
        }
        #expect(await attempt(stage, user).contains("ready 140"))
    }

    @Test("Discovery is in progress, though not ours: asked for again until it is; nothing is asked any more then")
    func discoveryInProgress() async throws {
        let stage = try await FakeStage()
        await stage.fake.trouble(with: "Adapter1.StartDiscovery", times: 1, .error(DBusError(name: "org.bluez.Error.InProgress", message: "")))
        let application = await FakeApplication(stage)
        let scan = Task(executorPreference: VirtualTime.clock) { await application.flic.discoveries().first { _ in true } }
        await stage.fake.wait { $0.journal.contains("reply Adapter1.StartDiscovery /org/bluez/hci0") }
        await stage.button.enterPublicMode()
        #expect(await scan.value?.address == stage.button.address)
        await stage.fake.wait { $0.calls.last == "Adapter1.StopDiscovery /org/bluez/hci0" }
        #expect(
            await stage.fake.calls.filter { $0.contains("Discovery") }.map { $0.split(separator: " ")[0].dropFirst("Adapter1.".count) } == [
                "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery",
            ]
        )
    }

    @Test("A link that is being cut is not used again: the next one is made when it is gone")
    func cut() async throws {
        var timing = FakeBlueZ.Timing()
        timing.disconnect = .milliseconds(500)
        let stage = try await FakeStage(timing: timing)
        await stage.fake.addDevice(stage.button.address)
        await stage.button.enterPublicMode()
        await stage.fake.trouble(
            with: "GattCharacteristic1.StartNotify",
            times: 1,
            .error(DBusError(name: "org.bluez.Error.NotPermitted", message: ""))
        )
        let user = FakeLinkUser(stage)
        await user.start()
        await user.open()
        await user.transcript.wait(for: "closed notifyRefused")
        await user.open()
        await stage.button.enterPublicMode()
        #expect(await user.transcript.wait(for: "ready 140").suffix(4) == ["connected", "closed notifyRefused", "connected", "ready 140"])
        let steps = await stage.fake.journal.filter { $0.contains("call Device1.") || $0.contains("Connected=") }
        #expect(
            steps.map { $0.contains("call") ? String($0.split(separator: " ")[1]) : String($0.split(separator: " ")[3]) } == [
                "Device1.Connect", "Connected=true", "Device1.Disconnect", "Connected=false", "Device1.Connect", "Connected=true",
            ]
        )
    }

    @Test("Calls that are never answered, or after the link's time is over: it is told as closed once", arguments: [true, false])
    func unanswered(never: Bool) async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        await stage.fake.trouble(with: "Device1.Connect", times: 1, never ? .silence : .late(.milliseconds(400)))
        let user = FakeLinkUser(stage)
        await user.start()
        await stage.button.enterPublicMode()
        await user.open(timeout: .milliseconds(100))
        #expect(await user.transcript.wait { $0.contains { $0.hasPrefix("closed") } } == ["state poweredOn", "closed timeout"])
        if !never {
            await stage.fake.wait { $0.journal.contains { $0.hasPrefix("reply Device1.Connect") || $0.hasPrefix("error Device1.Connect") } }
        }
        #expect(await attempt(stage, user).prefix(2) == ["connected", "ready 140"])
    }

    @Test("A device without the Flic service: closed for that reason once the service cannot come late any more, and the link is cut")
    func noService() async throws {
        let stage = try await FakeStage()
        await stage.fake.setFaults { $0.hidesService = true }
        await stage.fake.addDevice(stage.button.address)
        let user = FakeLinkUser(stage)
        await user.start()
        await stage.button.enterPublicMode()
        await user.open(timeout: .seconds(20))
        let lines = await user.transcript.wait { $0.contains { $0.hasPrefix("closed") } }
        #expect(lines.suffix(2) == ["connected", "closed serviceNotFound"])
        await stage.fake.wait { $0.calls.contains { $0.hasPrefix("Device1.Disconnect") } }
    }

    @Test("Access denied: the state says so")
    func denied() async throws {
        let stage = try await FakeStage()
        await stage.fake.denyAccess()
        let user = FakeLinkUser(stage)
        let waiting = Task(executorPreference: VirtualTime.clock) { await user.start() }
        await user.transcript.wait(for: "state unauthorized")
        waiting.cancel()
    }

    @Test("An adapter without Bluetooth Low Energy is none; one that is blocked is off", arguments: [true, false])
    func adapters(isBlocked: Bool) async throws {
        let stage = try await FakeStage(isBlocked ? .blocked : nil)
        if !isBlocked {
            var settings = FakeBlueZ.AdapterSettings()
            settings.roles = []
            await stage.fake.addAdapter(settings)
        }
        let user = FakeLinkUser(stage)
        let waiting = Task(executorPreference: VirtualTime.clock) { await user.start() }
        let lines = await user.transcript.wait { !$0.isEmpty }
        #expect(lines == [isBlocked ? "state poweredOff" : "state \(CentralState.unsupported(.missing))"])
        waiting.cancel()
    }
}
