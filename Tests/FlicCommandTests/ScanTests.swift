import FlicClient
import FlicSimulator
import Testing

@testable import flic

@Suite("flic scan")
struct ScanTests {
    @Test("A button in pairing mode is shown once; others are not")
    func text() async throws {
        try await Stage.play { stage in
            let other = SimulatedButton(seed: 2, loop: stage.loop)
            await stage.air.place(other)
            await other.click()
            await stage.button.enterPublicMode()
            let run = await stage.run("scan")
            #expect(run.code == .done)
            let name = try #require(run.results.first?.split(separator: " ").last)
            #expect(run.results == ["\(stage.button.address)  \(name)"] && name.hasPrefix("F2"))
            #expect(run.errors == ["Listening for buttons in pairing mode. Hold a button down for seven seconds to bring it into that mode."])
        }
    }

    @Test("JSON: one object for each button")
    func json() async throws {
        try await Stage.play { stage in
            let other = SimulatedButton(seed: 2, loop: stage.loop)
            await stage.air.place(other)
            await other.setFaults { $0.isConnectedElsewhere = true }
            await other.enterPublicMode()
            await stage.button.enterPublicMode()
            let run = await stage.run("scan", "--json")
            #expect(run.code == .done && run.errors.isEmpty)
            let objects = try run.objects
            #expect(objects.map(\.names) == Array(repeating: ["event", "address", "advertisedName", "connectedElsewhere"], count: 2))
            #expect(objects.allSatisfy { $0.event == "found" })
            let taken = objects.filter { $0.flags["connectedElsewhere"] == true }.map { $0.texts["address"] }
            #expect(taken == [other.address.description])
        }
    }

    @Test("A button that is connected to another device is shown as such")
    func connectedElsewhere() async throws {
        try await Stage.play { stage in
            await stage.button.setFaults { $0.isConnectedElsewhere = true }
            await stage.button.enterPublicMode()
            #expect(await stage.run("scan").results.first?.hasSuffix("  connected to another device") == true)
        }
    }

    @Test("Nothing found: exit code 5 at the end of the time", arguments: [nil, "5", "0.5"])
    func nothing(time: String?) async throws {
        try await Stage.play { stage in
            let run = if let time { await stage.run("scan", "--timeout", time) } else { await stage.run("scan") }
            #expect(run.code == .noButtonFound && run.results.isEmpty && run.errors.last?.contains("seven seconds") == true)
            #expect(stage.loop.now == .seconds(time.flatMap(Double.init) ?? 30))
        }
    }

    @Test("A failure is told in JSON as well")
    func failure() async throws {
        try await Stage.play { stage in
            let run = await stage.run("scan", "--json")
            let line = try #require(try run.objects.first)
            #expect(line.event == "failed" && line.texts["reason"] == "noButtonFound" && line.texts["message"] != nil)
            #expect(run.errors == ["flic: \(line.texts["message"] ?? "")"])
        }
    }

    @Test(
        "Without Bluetooth it ends at once (D9)",
        arguments: [
            (CentralState.unsupported(.missing), ExitCode.bluetoothUnavailable), (.unsupported(.tooOld), .bluetoothUnavailable),
            (.unauthorized, .denied), (.poweredOff, .bluetoothUnavailable), (.resetting, .bluetoothUnavailable),
        ]
    )
    func noBluetooth(state: CentralState, code: ExitCode) async throws {
        try await Stage.play { stage in
            await stage.air.setState(state)
            let run = await stage.run("scan")
            #expect(run.code == code && run.results.isEmpty && run.errors.count == 1)
            #expect(stage.loop.now == .zero)
        }
    }

    @Test("No first answer counts as no Bluetooth after ten seconds")
    func noAnswer() async throws {
        try await Stage.play { stage in
            await stage.air.setState(.unknown)
            #expect(await stage.run("scan").code == .bluetoothUnavailable)
            #expect(stage.loop.now == .seconds(10))
        }
    }

    @Test("The transport's own words are passed on")
    func problem() async throws {
        try await Stage.play { stage in
            await stage.air.setState(.unsupported(.missing))
            let run = await stage.run("scan", "--adapter", "hci7", problem: "There is no Bluetooth adapter hci7.")
            #expect(run.errors.first?.hasPrefix("flic: There is no Bluetooth adapter hci7.") == true)
        }
    }

    @Test("With --wait it scans when power arrives, for the whole time (D9)")
    func waiting() async throws {
        try await Stage.play { stage in
            await stage.air.setState(.unsupported(.missing))
            async let scan = stage.run("scan", "--wait", "--timeout", "10")
            await stage.pass(.seconds(300))
            await stage.air.setState(.poweredOff)
            await stage.pass(.seconds(1))
            await stage.air.setState(.poweredOn)
            await stage.pass(.seconds(8))
            await stage.button.enterPublicMode()
            let run = await scan
            #expect(run.code == .done && run.results.count == 1)
            #expect(run.errors.filter { $0.hasPrefix("Waiting for Bluetooth.") }.count == 1)
            #expect(stage.loop.now == .seconds(311))
        }
    }

    @Test("Power that is lost during the scan ends it; with --wait it goes on", arguments: [false, true])
    func powerLoss(waits: Bool) async throws {
        try await Stage.play { stage in
            async let scan = waits ? stage.run("scan", "--wait") : stage.run("scan")
            await stage.pass(.seconds(3))
            await stage.air.setState(.poweredOff)
            await stage.pass(.seconds(3))
            await stage.air.setState(.poweredOn)
            await stage.button.enterPublicMode()
            let run = await scan
            #expect(run.code == (waits ? .done : .bluetoothUnavailable) && run.results.count == (waits ? 1 : 0))
        }
    }

    @Test("Interrupted: exit code 130, and nothing is listened for any more")
    func interrupt() async throws {
        try await Stage.play { stage in
            let (interrupts, continuation) = AsyncStream.makeStream(of: Void.self)
            async let scan = stage.run("scan", interrupts: interrupts)
            await stage.pass(.seconds(3))
            continuation.yield()
            let run = await scan
            #expect(run.code == .interrupted && run.results.isEmpty && run.errors.count == 1)
            #expect(stage.loop.now == .seconds(3))
        }
    }
}
