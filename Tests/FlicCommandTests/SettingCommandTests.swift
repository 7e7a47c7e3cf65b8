import FlicBridge
import FlicClient
import FlicSimulator
import FoundationEssentials
import Testing

@testable import flic

@Suite("flic rename, mode, latency, queue, battery")
struct SettingCommandTests {
    private static let members: Set<String> = [
        "button", "name", "advertisedName", "address", "uuid", "identifier", "firmware", "volts", "batteryPercent", "batteryLow", "batteryDate",
        "unpaired", "mode", "doubleClickTime", "holdTime", "tripleClick", "latency", "queue",
    ]

    @Test("rename: kept at once, and the button gets the name with the next connection")
    func rename() async throws {
        try await Stage.play { stage in
            await stage.pair()
            let serial = stage.button.identity.serialNumber
            let run = await stage.run("rename", serial, "Hall")
            #expect(run.code == .done && run.results == ["Renamed: Hall"])
            #expect(run.errors == ["It counts from the next connection on."])
            #expect(stage.store.contents.first?.nickname == "Hall" && stage.store.contents.first?.pendingRenameTime == 1_767_225_600_500)
            #expect(await stage.button.name == "")
            await stage.button.click()  // it is asleep
            _ = await stage.run("listen", "--seconds", "60")
            #expect(await stage.button.name == "Hall" && stage.store.contents.first?.pendingRenameTime == 0)

            await stage.pass(.seconds(5))  // the end of the link
            let cleared = await stage.run("rename", "hall", "", "--quiet", daysLater: 1)
            #expect(cleared.results == ["Renamed: \(serial)"] && cleared.errors.isEmpty)
            await stage.button.click()
            _ = await stage.run("listen", "--seconds", "60", daysLater: 1)
            #expect(await stage.button.name == "")
            #expect(stage.store.contents.first?.nickname ?? "" == "")
        }
    }

    @Test("rename: a name that is too long is cut, and that is told; JSON is the button")
    func longName() async throws {
        try await Stage.play { stage in
            await stage.pair()
            let run = await stage.run("rename", "BC", "An exceedingly long name")
            #expect(run.results == ["Renamed: An exceedingly long nam"])
            #expect(run.errors.last == "Names are limited to 23 bytes: the button is named \"An exceedingly long nam\".")
            let facts = try await stage.run("rename", "An", "Hall", "--json").objects
            #expect(facts.map(\.event) == ["changed"] && facts.first?.texts["name"] == "Hall")
            #expect(facts.first?.names == Self.members.union(["event"]))
        }
    }

    @Test(
        "mode: shown, and set; what is not given is as the button has it",
        arguments: [
            (["click"], "click", .standard(.click)), (["hold"], "hold (hold after 1.0 s)", .standard(.clickAndHold)),
            (["double"], "double (double click within 0.5 s)", .standard(.clickAndDoubleClick)),
            (["all"], "all (double click within 0.5 s, hold after 1.0 s)", .standard(.clickAndDoubleClickAndHold)),
            (["hold", "--hold-time", "0.7"], "hold (hold after 0.7 s)", .custom(.clickAndHold, limits: .init(hold: 22_937))),
            (
                ["--hold-time", "10"], "all (double click within 0.5 s, hold after 10.0 s)",
                .custom(.clickAndDoubleClickAndHold, limits: .init(hold: 327_680))
            ),
            (
                ["double", "--triple", "--double-click-time=0.1"], "double (double click within 0.1 s, triple clicks)",
                .custom(.clickAndDoubleClick, limits: .init(doubleClick: 3_277, tripleClick: true))
            ),
        ] as [([String], String, ClickRules)]
    )
    func mode(arguments: [String], text: String, rules: ClickRules) async throws {
        try await Stage.play { stage in
            await stage.pair()
            let serial = stage.button.identity.serialNumber
            let shown = await stage.run("mode", serial)
            #expect(shown.results == ["\(serial): all (double click within 0.5 s, hold after 1.0 s)"] && shown.errors.isEmpty)
            #expect(stage.store.contents.first?.clickRules == nil)
            let set = await stage.run(["mode", serial] + arguments)
            #expect(set.code == .done && set.results == ["\(serial): \(text)"])
            #expect(set.errors == ["It counts from the next connection on."])
            #expect(stage.store.contents.first?.clickRules == rules)
            #expect(await stage.run("mode", serial).results == set.results)
        }
    }

    @Test(
        "mode: what makes no sense is refused, and changes nothing",
        arguments: [
            (["triple"], "triple"), (["click", "--triple"], "--triple"), (["hold", "--double-click-time", "1"], "--double-click-time"),
            (["double", "--hold-time", "1"], "--hold-time"), (["all", "--hold-time", "0.05"], "0.1 to 10"),
            (["all", "--hold-time", "11"], "0.1 to 10"),
            (["all", "--double-click-time", "nan"], "0.1 to 10"), (["all", "--double-click-time", "x"], "0.1 to 10"), (["all", "hold"], "'hold'"),
        ]
    )
    func nonsense(arguments: [String], named: String) async throws {
        try await Stage.play { stage in
            await stage.pair()
            let before = stage.store.contents
            let run = await stage.run(["mode", "BC"] + arguments)
            #expect(run.code == .usage && run.errors.count == 1 && run.errors.first?.contains(named) == true)
            #expect(stage.store.contents == before)
        }
    }

    @Test("mode: an option alone is checked against the mode that there is")
    func keptMode() async throws {
        try await Stage.play { stage in
            await stage.pair()
            _ = await stage.run("mode", "BC", "click")
            let run = await stage.run("mode", "BC", "--triple")
            #expect(run.code == .usage && run.errors.first?.contains("'click'") == true)
        }
    }

    @Test("mode: listen goes by it, and remembers its own --mode")
    func listen() async throws {
        try await Stage.play { stage in
            await stage.pair()
            _ = await stage.run("mode", "BC", "all", "--triple")
            async let run = stage.run("listen", "--seconds", "60")
            await stage.button.click()  // it is asleep
            await stage.pass(.seconds(20))
            for _ in 0..<3 {
                await stage.button.click()
                await stage.pass(.milliseconds(200))
            }
            #expect(await run.results.contains { $0.hasSuffix("  tripleClick") })
            #expect(stage.store.contents.first?.clickRules?.limits?.tripleClick == true)
            _ = await stage.run("listen", "--mode", "hold", "--seconds", "1")
            #expect(await stage.run("mode", "BC").results.first?.hasSuffix(": hold (hold after 1.0 s)") == true)
        }
    }

    @Test("latency: shown, set, and asked for with the next connection")
    func latency() async throws {
        try await Stage.play { stage in
            await stage.pair()
            let serial = stage.button.identity.serialNumber
            #expect(await stage.run("latency", serial).results == ["\(serial): normal"])
            let facts = try await stage.run("latency", serial, "low", "--json").objects
            #expect(facts.first?.event == "changed" && facts.first?.texts["latency"] == "low")
            let shown = try await stage.run("latency", serial, "--json").objects
            #expect(shown.first?.names == Self.members.subtracting(["name"]) && shown.first?.texts["latency"] == "low")
            await stage.button.click()
            _ = await stage.run("listen", "--seconds", "20")
            #expect(await stage.button.connectionParameters?.maximumInterval == .microseconds(17_500))
            #expect(await stage.run("latency", serial, "none").code == .usage)
            #expect(await stage.run("latency", serial).results == ["\(serial): low"])
        }
    }

    @Test("queue: shown and set")
    func queue() async throws {
        try await Stage.play { stage in
            await stage.pair()
            let serial = stage.button.identity.serialNumber
            #expect(await stage.run("queue", serial).results == ["\(serial): all"])
            #expect(await stage.run("queue", serial, "not-older:60").results == ["\(serial): not-older:60"])
            #expect(stage.store.contents.first?.queuePolicy == .notOlder(than: 60))
            #expect(await stage.run("queue", serial, "some").code == .usage)
            let facts = try await stage.run("queue", serial, "--json").objects
            #expect(facts.first?.texts["queue"] == "not-older:60")
        }
    }

    @Test("battery: what the last sample says, and how old it is")
    func battery() async throws {
        try await Stage.play { stage in
            await stage.button.setBattery(volts: 2.5)
            await stage.button.setName("Hall")
            await stage.pair()
            let other = await stage.pairAnother(seed: 2)
            let serial = other.identity.serialNumber
            var records = stage.store.contents
            records[0].batteryTime = 1_767_225_600 - 3 * 3600
            records[1].batteryLevel = nil
            try await stage.store.save(records)
            let rows = ["\("Hall".padded(to: serial.count))  2.5 V, low  9 %  3 hours ago", "\(serial)  -"]
            #expect(await stage.run("battery").results == rows)
            let samples = try await stage.run("battery", "Hall", "--json").objects
            #expect(samples.map { $0.numbers["batteryAge"] } == [10_800] && samples.first?.flags["batteryLow"] == true)
            #expect(
                samples.first?.names == ["button", "uuid", "name", "volts", "batteryPercent", "batteryLow", "batteryDate", "batteryAge"]
            )
            #expect(try await stage.run("battery", "--json").objects.map(\.names.count) == [8, 2])
        }
    }

    @Test("None of them needs Bluetooth; the wishes to be connected stay")
    func withoutBluetooth() async throws {
        try await Stage.play { stage in
            await stage.pair()
            _ = await stage.pairAnother(seed: 2)
            var records = stage.store.contents
            records[1].wantsConnection = false
            try await stage.store.save(records)
            await stage.air.setState(.unsupported(.missing))
            let serial = stage.button.identity.serialNumber
            for arguments in [["rename", serial, "x"], ["mode", "x", "click"], ["latency", "x", "low"], ["queue", "x", "none"], ["battery"]] {
                #expect(await stage.run(arguments).code == .done)
            }
            #expect(stage.store.contents.map(\.wantsConnection) == [true, false])
            #expect(stage.store.contents.map(\.nickname) == ["x", nil])
        }
    }

    @Test(
        "A button that is not there, or not told apart",
        arguments: [["rename", "?", "Hall"], ["mode", "?"], ["latency", "?", "low"], ["queue", "?"]]
    )
    func unknown(arguments: [String]) async throws {
        try await Stage.play { stage in
            await stage.pair()
            _ = await stage.pairAnother(seed: 2)
            let before = stage.store.contents
            #expect(await stage.run(arguments.map { $0 == "?" ? "Garden" : $0 }).code == .notPaired)
            #expect(await stage.run(arguments.map { $0 == "?" ? "BC" : $0 }).code == .usage)
            #expect(stage.store.contents == before)
        }
    }

    @Test("What could not be stored is an error", arguments: [["rename", "BC", "Hall"], ["mode", "BC", "click"], ["latency", "BC", "low"]])
    func fullDisk(arguments: [String]) async throws {
        try await Stage.play { stage in
            await stage.pair()
            let printed = Printed()
            var context = stage.context(printed)
            context.makeStore = { _, _ in FullStore(base: stage.store) }
            #expect(await FlicProgram.run(arguments, in: context) == .failed)
            #expect(printed.results.isEmpty && printed.errors.last?.contains("No space left") == true)
        }
    }

    @Test("list --names: names and serial numbers, one a line; none that is no name here")
    func names() async throws {
        try await Stage.play { stage in
            await stage.pair()
            let other = await stage.pairAnother(seed: 2)
            let serials = [stage.button.identity.serialNumber, other.identity.serialNumber]
            for (name, shown) in [("Liv\n\tx\u{1B}[2J", ["Liv  x [2J"]), ("--json", []), ("", []), ("$(id)", ["$(id)"])] {
                var records = stage.store.contents
                records[0].nickname = name
                try await stage.store.save(records)
                #expect(await stage.run("list", "--names").results == shown + serials)
            }
        }
    }
}

/// A store on a disk that is full.
private struct FullStore: PairingStore {
    let base: MemoryStore

    func lock() async throws(PairingStoreError) {}
    func unlock() async {}
    func load() async throws(PairingStoreError) -> [ButtonRecord] { try await base.load() }
    func save(_ records: [ButtonRecord]) async throws(PairingStoreError) { throw PairingStoreError(.failed, "No space left on device") }
    func keep(_ records: [ButtonRecord]) async throws(PairingStoreError) { throw PairingStoreError(.failed, "No space left on device") }
}
