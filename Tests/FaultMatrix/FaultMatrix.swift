import FlicSimulator
import Foundation

/// Every fault at every moment, in the virtual machine (Tests/BlueZVM/README.md).
@main
enum FaultMatrix {
    static func main() async throws {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            say(Options.usage)
            exit(2)
        }
        guard Machine.isHere else {
            say("FaultMatrix runs in the virtual machine: see Tests/BlueZVM/matrix")
            exit(2)
        }
        let worlds = try await makeWorlds(options)
        var report = Report(directory: options.logs)
        let start = Chronicle.now
        say("seed \(options.seed)")
        for fault in options.faults {
            for batch in batches(of: fault, options) {
                guard await isWell(worlds) else {
                    say("FAILED  the adapters did not come back after \(fault.rawValue)")
                    exit(1)
                }
                for outcome in await run(fault, batch, worlds, isLong: options.isLong) { report.add(outcome) }
                await restore(worlds, after: fault)
            }
        }
        report.printTable(Chronicle.now - start)
        exit(report.failures.isEmpty ? 0 : 1)
    }

    private static func makeWorlds(_ options: Options) async throws -> [World] {
        let directory = FileManager.default.temporaryDirectory.appending(path: "fault-matrix")
        try FileManager.default.createDirectory(at: options.logs, withIntermediateDirectories: true)
        var worlds: [World] = []
        for number in 0..<options.worlds {
            let world = try await World(number: number, flic: options.flic, directory: directory)
            guard try await world.pair() else {
                say(world.chronicle.lines.joined(separator: "\n"))
                say("FAILED  no pairing on \(world.adapter)")
                exit(1)
            }
            worlds.append(world)
            // Still public for a time: the next application is not to find this one.
            Machine.radio("range \(world.buttonNumber) off")
        }
        for world in worlds { Machine.radio("range \(world.buttonNumber) on") }
        return worlds
    }

    /// What a round is about.
    private struct Cell {
        let moment: Moment
        let seed: UInt64
        /// Where it takes place, which follows from the two.
        let world: Int
    }

    /// All rounds with a fault, as many at a time as there are worlds, none twice in one. Those of a fault that is shared have one seed.
    private static func batches(of fault: Fault, _ options: Options) -> [[Cell]] {
        var batches: [[Cell]] = []
        for round in 0..<options.rounds {
            let seed = options.seed &+ UInt64(round)
            for (index, moment) in Moment.allCases.enumerated() where options.moments.contains(moment) && fault.canHappen(moment) {
                let number = Int((seed &+ UInt64(index)) % UInt64(options.worlds))
                // Handles may only change while there is a link if the button can tell that; every other one can.
                let cell = Cell(moment: moment, seed: seed, world: fault == .staleLinked ? number & ~1 : number)
                let free = batches.firstIndex { batch in
                    !batch.contains { $0.world == cell.world || fault.isShared && $0.seed != seed }
                }
                if let free { batches[free].append(cell) } else { batches.append([cell]) }
            }
        }
        return batches
    }

    private static func run(_ fault: Fault, _ cells: [Cell], _ worlds: [World], isLong: Bool) async -> [Round.Outcome] {
        let gate = fault.isShared ? Gate(cells.count) : nil
        return await withTaskGroup { group in
            for cell in cells {
                let world = worlds[cell.world]
                let blow = Blow(fault: fault, worlds: fault.isShared ? worlds : [world], seed: cell.seed)
                let round = Round(moment: cell.moment, world: world, blow: blow, isLong: isLong)
                group.addTask { await round.run(gate ?? Gate(1)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    // MARK: Between the rounds

    /// Gives the adapters back the numbers and addresses that they had.
    private static func restore(_ worlds: [World], after fault: Fault) async {
        guard fault == .renumber || fault == .readdress else { return }
        for world in worlds { Machine.radio("unplug \(world.number)") }
        for world in worlds { Machine.radio("plug \(world.number)") }
    }

    /// Whether all adapters are as they are at the beginning of a round, in the end.
    private static func isWell(_ worlds: [World]) async -> Bool {
        for world in worlds {
            let isWell = await world.chronicle.until(within: .seconds(30)) {
                guard await Machine.address(of: world.adapter) == world.adapterAddress else { return false }
                if await Machine.isTrue("Powered", of: world.adapter) { return true }
                await Machine.setPower(world.adapter, true)
                return false
            }
            guard isWell else { return false }
        }
        return true
    }
}
