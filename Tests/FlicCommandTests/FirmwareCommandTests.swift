import FlicClient
import FlicSimulator
import Foundation
import Synchronization
import Testing

@testable import flic

@Suite("flic firmware")
struct FirmwareCommandTests {
    /// A file that goes away with it.
    private final class File: Sendable {
        let path = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID()).bin").path

        init(_ bytes: [UInt8]) { _ = FileManager.default.createFile(atPath: path, contents: Data(bytes)) }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        static func image(_ version: UInt32 = 11, product: FirmwareImage.Product = .flic2) -> File {
            File(SimulatedFirmware.file(SimulatedFirmware.image(version: version, product: product)))
        }
    }

    private func withPairedButton(
        isDuo: Bool = false,
        _ body: @escaping @Sendable (Stage, _ serial: String) async throws -> Void
    ) async throws {
        try await Stage.play(isDuo: isDuo) { stage in
            await stage.pair()
            try await body(stage, stage.button.identity.serialNumber)
        }
    }

    /// Presses the button until it is connected: it is silent before, and virtual time does not wait until the file is read.
    private static func press(_ stage: Stage) async {
        while !Task.isCancelled, await !stage.button.isConnected {
            await stage.button.click()
            await stage.pass(.seconds(1))
        }
    }

    private static func update(_ stage: Stage, _ arguments: String..., interrupts: AsyncStream<Void>? = nil) async -> Run {
        async let _ = press(stage)
        return await stage.run(["firmware", "update"] + arguments, interrupts: interrupts)
    }

    @Test("update: a line for each tenth, then the versions")
    func update() async throws {
        let file = File.image()
        try await withPairedButton { stage, serial in
            let run = await Self.update(stage, serial, file.path)
            #expect(run.code == .done && run.errors == [])
            let events = run.events
            #expect(events.first == "waiting for the button" && events.last == "Updated: \(serial), firmware 10 to 11")
            #expect(events.dropLast().last == "the button restarts")
            let tenths = run.results.compactMap { $0.wholeMatch(of: /.*  (\d+) %, (\d+) of 19992 bytes/) }
            #expect(tenths.map { Int($0.1)! / 10 } == Array(0...10))
            #expect(await stage.button.firmwareVersion == 11)
            #expect(await stage.run("firmware", "status").results == ["\(serial)  11"])
        }
    }

    @Test("update --quiet: the result only; of a Duo image, too")
    func quiet() async throws {
        let file = File.image(12, product: .duo)
        try await withPairedButton(isDuo: true) { stage, serial in
            let run = await Self.update(stage, serial, file.path, "-q")
            #expect(run.results == ["Updated: \(serial), firmware 10 to 12"] && run.errors == [])
        }
    }

    @Test("update --json: a line for each progress, with the members that the help names")
    func json() async throws {
        let file = File.image()
        try await withPairedButton { stage, serial in
            let run = await Self.update(stage, serial, file.path, "--json")
            let objects = try run.objects
            let common: Set = ["event", "time", "date", "button", "uuid"]
            #expect(objects.first?.event == "waiting" && objects.first?.names == common)
            let progress = objects.filter { $0.event == "transferring" }
            #expect(progress.count > 80 && progress.allSatisfy { $0.names == common.union(["acknowledged", "total"]) })
            #expect(progress.last?.numbers["acknowledged"] == 19_992 && progress.last?.numbers["total"] == 19_992)
            #expect(objects.dropLast().last?.event == "restarting")
            let last = try #require(objects.last)
            #expect(last.event == "updated" && last.names == common.union(["oldFirmware", "firmware"]))
            #expect(last.numbers["oldFirmware"] == 10 && last.numbers["firmware"] == 11)
        }
    }

    @Test("update at a terminal: a bar that is taken away before anything else is written")
    func bar() async throws {
        let file = File.image()
        try await withPairedButton { stage, serial in
            let printed = Printed()
            var context = stage.context(printed)
            let bars = Mutex<[String]>([])
            context.output.showStatus = { text in bars.withLock { $0.append(text) } }
            async let _ = Self.press(stage)
            let code = await FlicProgram.run(["firmware", "update", serial, file.path, "--trust-test-root", "published"], in: context)
            #expect(code == .done)
            let shown = bars.withLock { $0 }
            #expect(shown.contains("[###############···············]  50 %  9 of 20 KiB") || shown.contains { $0.contains(" 50 %") })
            #expect(shown.last == "" && shown.contains("[##############################] 100 %  19 of 20 KiB"))
            #expect(printed.results.count == 3 && !printed.results.contains { $0.contains("%") })
        }
    }

    @Test("An interrupt ends it in good order; the next update goes on from there")
    func interrupt() async throws {
        let file = File.image()
        try await withPairedButton { stage, serial in
            await stage.button.setFaults { $0.frameDelay = .milliseconds(100) }
            let (interrupts, continuation) = AsyncStream.makeStream(of: Void.self)
            async let first = Self.update(stage, serial, file.path, interrupts: interrupts)
            while await stage.button.firmwareUpdatePosition ?? 0 < 1000 { await stage.pass(.milliseconds(10)) }
            continuation.yield()
            #expect(await first.code == .interrupted)
            await stage.pass(.seconds(5))
            #expect(await !stage.button.isConnected)
            let position = await stage.button.firmwareUpdatePosition ?? 0
            let objects = try await Self.update(stage, serial, file.path, "--json").objects
            #expect(objects.first { $0.event == "transferring" }?.numbers["acknowledged"] == Double(4 * position))
            #expect(objects.last?.event == "updated")
        }
    }

    @Test("A wrong signature, a busy button, one that is away: clear words and exit codes")
    func failures() async throws {
        let good = File.image()
        var bytes = SimulatedFirmware.file(SimulatedFirmware.image(version: 11))
        bytes[500] ^= 1
        let bad = File(bytes)
        try await withPairedButton { stage, serial in
            let damaged = await Self.update(stage, serial, bad.path, "--json")
            #expect(damaged.code == .refused)
            let objects = try damaged.objects
            #expect(objects.last?.texts["reason"] == "invalidSignature")
            await stage.button.setFaults { $0.isFirmwareBusy = true }
            await stage.pass(.seconds(5))  // the link of the first run ends
            let busy = await Self.update(stage, serial, good.path)
            #expect(busy.code == .refused)
            #expect(busy.errors == ["flic: Another program or device is just updating the button; wait until that is done, then try again."])
            await stage.air.remove(stage.button.address)
            let away = await Self.update(stage, serial, good.path, "--patience", "30")
            #expect(away.code == .timedOut && away.errors.first?.contains("bring it closer") == true)
            #expect(await stage.run("firmware", "status").results == ["\(serial)  10"])
        }
    }

    @Test("Files that are no images are not sent")
    func files() async throws {
        try await withPairedButton { stage, serial in
            let cases: [(Int, String)] = [(999, "1000 bytes at least; this has 999"), (1001, "words of 4 bytes"), (262_145, "262144 bytes at most")]
            for (size, text) in cases {
                let file = File([UInt8](repeating: 1, count: size))
                let run = await Self.update(stage, serial, file.path, "--json")
                #expect(run.code == .failed && run.errors.first?.contains(text) == true, "\(run.errors)")
                let objects = try run.objects
                #expect(objects.last?.texts["reason"] == "noFirmware")
            }
            let larger = File([UInt8](repeating: 1, count: 1 << 20))
            #expect(await Self.update(stage, serial, larger.path).code == .failed)
            #expect(await Self.update(stage, serial, "/nowhere/x").code == .failed)
            #expect(await stage.button.firmwareUpdatePosition == nil)
        }
    }

    @Test("Arguments", arguments: [["update"], ["update", "?"], ["status", "?", "x"], ["install"], ["update", "?", "x", "--patience", "soon"]])
    func usage(arguments: [String]) async throws {
        try await withPairedButton { stage, serial in
            let run = await stage.run(["firmware"] + arguments.map { $0 == "?" ? serial : $0 })
            #expect(run.code == .usage && run.errors.count == 1)
        }
    }

    @Test("status: what is known, of all buttons or one")
    func status() async throws {
        try await withPairedButton { stage, serial in
            let other = await stage.pairAnother(seed: 2)
            #expect(await stage.run("firmware", "status").results.sorted() == ["\(serial)  10", "\(other.identity.serialNumber)  10"].sorted())
            let objects = try await stage.run("firmware", "status", serial, "--json").objects
            #expect(objects.count == 1 && objects[0].names == ["button", "uuid", "firmware"] && objects[0].numbers["firmware"] == 10)
            #expect(await stage.run("firmware", "status", "nobody").code == .notPaired)
        }
    }

    @Test("simulate --make-firmware: a file that simulated buttons take")
    func make() async throws {
        try await withPairedButton { stage, serial in
            let path = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID()).bin").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            let made = await stage.run("simulate", "--make-firmware", path, "--json")
            #expect(made.code == .done)
            let objects = try made.objects
            #expect(objects.map(\.event) == ["firmwareMade"])
            #expect(await stage.run("simulate", "--make-firmware", path).code == .failed)
            let run = await Self.update(stage, serial, path, "-q")
            #expect(run.results == ["Updated: \(serial), firmware 10 to 11"])
        }
    }
}
