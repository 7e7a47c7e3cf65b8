import Commands
import EventLoops
import FlicClient
import FlicProtocol
import FlicSimulator
import FoundationEssentials
import GATT

extension Measurement {
    private static let rounds = Option(name: "--rounds", value: "N", summary: "Restore each number of pairings so often (10).")

    static let restore = Measurement(
        name: "restore",
        summary: "How long a program waits for the buttons of its last run: 1 to 10,000 of them.",
        discussion: """
            A store in a file is locked and read, and the buttons are made, until Flic.start() returns. The file is in the page cache: it was
            written just before.
            """,
        options: [rounds, .most]
    ) { invocation in
        let count = try invocation.arguments.count(rounds, usual: 10)
        var figures: [Figure?] = []
        let most = try invocation.arguments.count(.most, usual: 10_000)
        for buttons in [1, 10, 100, 1000, 10_000] where buttons <= most {
            let times = try await StoredCrowd(count: buttons, loop: invocation.loop).restore(count)
            figures.append(Figure("\(buttons) pairings", times: times))
        }
        return Report(measurement: "restore", figures: figures.compactMap(\.self))
    }
}

/// A store with many pairings, in a directory of its own.
private struct StoredCrowd {
    private let records: [ButtonRecord]
    private let loop: DispatchLoop

    init(count: Int, loop: DispatchLoop) throws {
        self.loop = loop
        records = try (0..<count).map { number in
            let bytes = (0..<20).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
            guard let pairing = Pairing(SecretBytes(bytes)) else { throw Invocation.Failure("A pairing has 20 bytes.") }
            return ButtonRecord(
                identifier: UUID(),
                address: BluetoothAddress(value: 0x80E4_DA00_0000 | UInt64(number)),
                uuid: String(repeating: "0", count: 32),
                serialNumber: "BC00-A00000",
                name: "Flic \(number)",
                pairing: pairing
            )
        }
    }

    /// - Returns: Nanoseconds, for each round.
    func restore(_ rounds: Int) async throws -> [UInt64] {
        let directory = FileManager.default.temporaryDirectory.appending(path: "flic-bench-\(UUID())", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = FileStore(directory: directory)
        try await store.lock()
        _ = try await store.load()
        try await store.save(records)
        await store.unlock()
        var times: [UInt64] = []
        for round in 0...rounds {
            let flic = Flic(FlicConfiguration(central: SimulatedCentral(air: SimulatedAir(loop: loop)), store: FileStore(directory: directory)))
            let start = MonotonicTime.now
            await flic.start()
            let time = MonotonicTime.now - start
            guard await flic.buttons.count == records.count else { throw Invocation.Failure("Not all buttons were restored.") }
            await flic.stop()
            if round > 0 { times.append(time) }
        }
        return times
    }
}
