import BlueZ
import FlicClient
import FlicSimulator
import FoundationEssentials
import Synchronization
import Testing

@testable import flic

@Suite("flic doctor")
struct DoctorTests {
    /// A system with which all is well, with the buttons that the stage has paired.
    private func examiner(_ stage: Stage, _ change: @escaping @Sendable (inout BluetoothFacts) -> Void = { _ in }) -> Examiner {
        var examiner = Examiner()
        examiner.system = { DoctorMaterial.system }
        examiner.bluetooth = { _, _ in
            var facts = DoctorMaterial.bluetooth
            change(&facts)
            return facts
        }
        examiner.store = { [store = stage.store] _ in
            var facts = DoctorMaterial.store
            facts.contents = .records(store.contents)
            return facts
        }
        return examiner
    }

    @Test("All is well: a line for each check; a press makes the button heard, and ends the listening")
    func healthy() async throws {
        try await Stage.play { stage in
            await stage.button.setName("Hall")
            await stage.pair()
            let start = stage.loop.now
            async let doctor = stage.run("doctor", examiner: examiner(stage))
            await stage.pass(.seconds(4))
            await stage.button.press(for: .milliseconds(50))
            let run = await doctor
            #expect(run.code == .done)
            #expect(
                run.results == [
                    "✓ hardware    The kernel has hci0.", "✓ blocking    No switch keeps Bluetooth off.", "✓ bus         The system bus answers.",
                    "✓ service     bluetoothd answers.", "✓ adapter     hci0 (00:AA:01:01:00:00) can do Bluetooth Low Energy.",
                    "✓ version     bluetoothd has what is needed. (It does not tell its version; 'bluetoothctl --version' does.)",
                    "✓ power       hci0 is on.", "✓ links       No device is connected to hci0.",
                    "✓ store       1 button is paired, in /home/user/state.", "✓ radio       hci0 has heard 1 device.", "✓ Hall        Paired.",
                    "✓ Hall        Heard.", "✓ Hall        Its battery had 3.0 V, today.", "Nothing is found that keeps buttons from working.",
                ]
            )
            #expect(
                run.errors == ["Listening for Hall, 15 s at most. Press the buttons meanwhile: at rest they are silent.", "Heard Hall."]
            )
            #expect((.seconds(4) ... .seconds(6)).contains(stage.loop.now - start))
            // It has not connected the button, nor taken its press.
            #expect(await !stage.button.isConnected)
            let listen = await stage.run("listen", "--json", "--seconds", "5")
            let objects = try listen.objects
            #expect(objects.contains { $0.event == "down" && $0.flags["queued"] == true })
        }
    }

    @Test("A button at rest is silent, which is no problem; the time is over at its end", arguments: [nil, "3"])
    func silent(time: String?) async throws {
        try await Stage.play { stage in
            await stage.pair()
            let start = stage.loop.now
            let examiner = examiner(stage) { $0.adapters[0].isDiscovering = true }
            let run =
                if let time { await stage.run("doctor", "--timeout", time, examiner: examiner) } else {
                    await stage.run("doctor", examiner: examiner)
                }
            #expect(run.code == .done && stage.loop.now - start == .seconds(time.flatMap(Double.init) ?? 15))
            let line = try #require(run.results.firstIndex { $0.contains("Not heard within \(time ?? "15") s") })
            #expect(run.results[line].hasPrefix("! ") && run.results[line + 1].hasPrefix("              → Press it"))
        }
    }

    @Test("JSON: one document with the members that the help names")
    func json() async throws {
        struct Document: Decodable {
            var findings: [Object]
            var exitCode: Int
        }
        try await Stage.play { stage in
            await stage.button.setName("Hall")
            await stage.pair()
            let run = await stage.run("doctor", "--json", examiner: examiner(stage) { $0.adapters[0].power = .off })
            #expect(run.code == .bluetoothUnavailable && run.results.count == 1 && run.errors.isEmpty)
            let document = try JSONDecoder().decode(Document.self, from: Data(run.results.joined().utf8))
            #expect(document.exitCode == 3)
            let power = try #require(document.findings.first { $0.texts["check"] == "power" })
            #expect(power.names == ["check", "severity", "id", "message", "cure"])
            #expect(power.texts["severity"] == "problem" && power.texts["id"] == "poweredOff")
            let battery = try #require(document.findings.first { $0.texts["check"] == "battery" })
            #expect(battery.names == ["check", "severity", "id", "message", "button", "name"])
            #expect(battery.texts["button"] == stage.button.identity.serialNumber && battery.texts["name"] == "Hall")
            let help = FlicProgram.table.help(for: DoctorCommand.command)
            #expect(Finding.Check.allCases.allSatisfy { help.contains($0.rawValue) })
        }
    }

    @Test("Without Bluetooth nothing is listened for, and the exit code is that of other commands")
    func noBluetooth() async throws {
        try await Stage.play { stage in
            await stage.pair()
            let start = stage.loop.now
            let run = await stage.run("doctor", examiner: examiner(stage) { $0.service = .policy })
            #expect(run.code == .denied && stage.loop.now == start && run.errors.isEmpty)
            #expect(run.results.last == "1 problem keeps buttons from working.")
            #expect(run.results.contains { $0.hasPrefix("– adapter ") })
        }
    }

    @Test("A button that says that another device has it")
    func connectedElsewhere() async throws {
        try await Stage.play { stage in
            await stage.pair()
            await stage.button.setFaults { $0.isConnectedElsewhere = true }
            await stage.button.enterPublicMode()
            let run = await stage.run("doctor", examiner: examiner(stage))
            #expect(run.code == .refused && run.results.contains { $0.hasPrefix("✗") && $0.contains("another device") })
        }
    }

    @Test("A void pairing is not listened for")
    func unpaired() async throws {
        try await Stage.play { stage in
            await stage.pair()
            var record = stage.store.contents[0]
            record.isUnpaired = true
            try await stage.store.save([record])
            let start = stage.loop.now
            let run = await stage.run("doctor", examiner: examiner(stage))
            #expect(run.code == .notPaired && stage.loop.now == start && run.errors.isEmpty)
        }
    }

    @Test("Only the button that is named, or none of that name")
    func named() async throws {
        try await Stage.play { stage in
            await stage.pair()
            let other = await stage.pairAnother(seed: 2)
            let run = await stage.run("doctor", other.identity.serialNumber, "--timeout", "1", examiner: examiner(stage))
            #expect(run.results.contains { $0.contains(other.identity.serialNumber) })
            #expect(!run.results.contains { $0.contains(stage.button.identity.serialNumber) })
            let unknown = await stage.run("doctor", "Kitchen", "--json", examiner: examiner(stage))
            #expect(unknown.code == .notPaired && unknown.results.first?.contains(#""id":"unknownButton""#) == true)
            let ambiguous = await stage.run("doctor", "BC", examiner: examiner(stage))
            #expect(ambiguous.code == .usage)
        }
    }

    @Test("A store that cannot be read: its own exit code, and no word about buttons")
    func noStore() async throws {
        try await Stage.play { stage in
            var examiner = examiner(stage)
            examiner.store = { _ in
                var facts = DoctorMaterial.store
                facts.contents = .unreadable(PairingStoreError(.denied, "It may not be read."))
                return facts
            }
            let run = await stage.run("doctor", "Hall", examiner: examiner)
            #expect(run.code == .denied && run.results.contains { $0.hasPrefix("– pairing") })
            examiner.store = { _ throws(PairingStoreError) in throw PairingStoreError(.failed, "Nobody says where.") }
            #expect(await stage.run("doctor", examiner: examiner).code == .failed)
        }
    }

    @Test("No buttons yet is no problem")
    func nothingPaired() async throws {
        try await Stage.play { stage in
            let run = await stage.run("doctor", "--quiet", examiner: examiner(stage))
            #expect(run.code == .done && run.results.count == 3 && run.results[0].hasPrefix("! store") && run.errors.isEmpty)
        }
    }

    @Test("Interrupted: exit code 130, and nothing is listened for any more")
    func interrupt() async throws {
        try await Stage.play { stage in
            await stage.pair()
            let (interrupts, continuation) = AsyncStream.makeStream(of: Void.self)
            let central = ListeningCentral(loop: stage.loop)
            let printed = Printed()
            var context = stage.context(printed, interrupts: interrupts, examiner: examiner(stage))
            context.makeTransport = { _ in Transport(central: central) }
            async let code = FlicProgram.run(["doctor"], in: context)
            await stage.pass(.seconds(3))
            #expect(await central.filters == [.any])
            continuation.yield()
            #expect(await code == .interrupted)
            #expect(await central.filters == [.any, nil])
        }
    }

    @Test("A wrong adapter name is a matter of usage")
    func adapterName() async throws {
        try await Stage.play { stage in
            var examiner = examiner(stage)
            examiner.bluetooth = Examiner().bluetooth
            let run = await stage.run("doctor", "--adapter", "usb", examiner: examiner)
            #expect(run.code == .usage && run.results.isEmpty)
        }
    }
}

/// Hears nothing, and remembers what it was asked to listen for.
private actor ListeningCentral: Central {
    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var filters: [DiscoveryFilter?] = []

    init(loop: any EventLoop) { self.loop = loop }

    func start(_ handler: @escaping @Sendable (CentralEvent) -> Void) { loop.execute { handler(.state(.poweredOn)) } }
    func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach) { filters.append(filter) }
    func isLinkedByOthers(_ address: BluetoothAddress) -> Bool { false }
    func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID {
        loop.execute { handler(.closed(nil)) }
        return LinkID(1)
    }
    func remembered(_ address: BluetoothAddress) -> Advertisement? { nil }
    func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID, completion: (@Sendable (LinkError?) -> Void)?) {}
    func close(_ link: LinkID, _ ending: LinkEnding) {}
}
