import DBus
import FlicSimulator
import Glibc

@testable import BlueZ

/// What must not grow, counted when all is calm.
struct Inventory: Equatable {
    /// Timers of all loops.
    var timers = 0
    /// Match rules on the bus.
    var matchRules = 0
    /// Connections to the bus.
    var connections = 0
    /// Clients that the daemon knows, and devices.
    var clients = 0
    var devices = 0
    /// Links that the central has, characteristics that it listens to, devices that it cuts.
    var links = 0
    var listeners = 0
    var cuts = 0

    static func take(_ clock: VirtualLoop, _ fake: FakeBlueZ, _ central: BlueZCentral, _ inspector: BusInspector) async -> Inventory {
        var inventory = Inventory()
        (inventory.matchRules, inventory.connections) = await inspector.counts()
        inventory.timers = clock.timerCount
        (inventory.clients, inventory.devices) = await fake.counts
        (inventory.links, inventory.listeners, inventory.cuts) = await central.counts
        return inventory
    }

    /// Names what is more than it was, beyond what comes and goes: `tolerance` timers, for what has just happened.
    func growth(since before: Inventory, tolerance: Int = 8) -> [String] {
        let pairs = [
            ("timers", before.timers + tolerance, timers), ("match rules", before.matchRules, matchRules),
            ("connections", before.connections, connections), ("clients", before.clients, clients), ("devices", before.devices, devices),
            ("links", before.links, links), ("listeners", before.listeners, listeners), ("cuts", before.cuts, cuts),
        ]
        return pairs.filter { $0.2 > $0.1 }.map { "\($0.0): \($0.2), at most \($0.1) expected" }
    }
}

/// What the whole process uses. Only meaningful while no other test runs.
struct ProcessUsage: CustomStringConvertible {
    let descriptors: Int
    let threads: Int
    /// Bytes that are resident.
    let memory: Int

    static var now: ProcessUsage {
        let pages = firstLine(of: "/proc/self/statm").split(separator: " ")
        return ProcessUsage(
            descriptors: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
            memory: (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
        )
    }

    var description: String { "\(descriptors) descriptors, \(threads) threads, \(memory >> 10) KiB" }

    private static func count(_ path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    private static func firstLine(of path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

/// Asks the bus how much it holds (org.freedesktop.DBus.Debug.Stats), on a connection for each question.
struct BusInspector {
    let address: BusAddress
    let clock: VirtualLoop

    /// Match rules and connections, without those of the question; zero where the bus does not tell.
    func counts() async -> (matchRules: Int, connections: Int) {
        let connection = DBusConnection(address, loop: clock.makeLoop(label: "inspector"))
        await connection.open { _ in }
        let path = "/org/freedesktop/DBus"
        let call = MethodCall(to: "org.freedesktop.DBus", at: path, "org.freedesktop.DBus.Debug.Stats", "GetStats")
        let values = (try? await connection.call(call))?.first?.namedValues ?? [:]
        await connection.close()
        return (values["MatchRules"]?.integer ?? 0, max((values["ActiveConnections"]?.integer ?? 0) - 1, 0))
    }
}

extension BlueZCentral {
    fileprivate var counts: (Int, Int, Int) { (links.count, listeners.count, cuts.count) }
}
