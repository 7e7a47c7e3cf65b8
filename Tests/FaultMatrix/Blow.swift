import FlicSimulator
import Foundation
import VirtualRadio

/// A fault, as it is done to some worlds.
struct Blow: Sendable {
    let fault: Fault
    let worlds: [World]
    /// Decides what is left open.
    let seed: UInt64

    /// It begins.
    func strike() async {
        switch fault {
        case .kill: Machine.signalBluetoothd(SIGKILL)
        case .hang, .hangKill: Machine.signalBluetoothd(SIGSTOP)
        case .bus:
            Machine.killBus()
            try? await Task.sleep(for: .milliseconds(300))
            Machine.signalBluetoothd(SIGKILL)  // if it has not noticed by itself
        case .replug, .renumber, .readdress:
            for world in worlds { Machine.radio("unplug \(world.number)") }
        case .power: await each { await Machine.setPower($0.adapter, false) }
        case .rfkill: await each { Machine.block($0.adapter, true) }
        case .suspend:
            await each { world in
                Machine.suspend(world.adapter, true)
                await world.application?.send(SIGSTOP)
            }
        case .remove: await each { await Machine.remove($0.buttonAddress, from: $0.adapter) }
        case .drop: await each { Machine.radio("drop \($0.buttonNumber)") }
        case .range: await each { Machine.radio("range \($0.buttonNumber) off") }
        case .staleAway:
            await each { world in
                Machine.radio("drop \(world.buttonNumber)")
                // Away for as long as it takes.
                let isAway = await world.chronicle.until(within: .seconds(5)) { await !world.peripheral.isLinked }
                if !isAway { world.chronicle.note("the link is still there") }
                await world.peripheral.move(by: distance)
            }
        case .staleLinked: await each { await $0.peripheral.move(by: distance) }
        case .abort: await each { await $0.peripheral.hangUp() }
        }
    }

    /// It is over.
    func repair() async {
        switch fault {
        case .kill: Machine.startBluetoothd()
        case .hang: Machine.signalBluetoothd(SIGCONT)
        case .hangKill:
            Machine.signalBluetoothd(SIGKILL)
            try? await Task.sleep(for: .milliseconds(500))
            Machine.startBluetoothd()
        case .bus:
            await Machine.startBus()
            Machine.startBluetoothd()
        case .replug:
            for world in worlds { Machine.radio("plug \(world.number)") }
        case .renumber:
            // Each gets the number of another: the lowest one is given out first.
            for world in worlds.dropFirst() + worlds.prefix(1) { Machine.radio("plug \(world.number)") }
        case .readdress:
            for world in worlds { Machine.radio("plug \(world.number) \(Self.otherAddress(world))") }
        case .power: await each { await Machine.setPower($0.adapter, true) }
        case .rfkill: await each { Machine.block($0.adapter, false) }
        case .suspend:
            await each { world in
                Machine.suspend(world.adapter, false)
                await world.application?.send(SIGCONT)
            }
        case .range: await each { Machine.radio("range \($0.buttonNumber) on") }
        case .remove, .drop, .staleAway, .staleLinked, .abort: break
        }
    }

    /// How an application says which adapter it means.
    func choice(of world: World) -> String {
        switch fault {
        case .renumber: world.adapterAddress
        case .readdress: world.adapter
        default: seed.isMultiple(of: 2) ? world.adapter : world.adapterAddress
        }
    }

    private static func otherAddress(_ world: World) -> String {
        String(format: "00:AA:02:%02X:00:%02X", world.number, world.number)
    }

    /// How many handles the button's service moves: old ones then lead nowhere, or to something else.
    private var distance: UInt16 { [1, 2, 3, 16][Int(seed % 4)] }

    private func each(_ body: @escaping @Sendable (World) async -> Void) async {
        await withTaskGroup { group in
            for world in worlds { group.addTask { await body(world) } }
        }
    }
}
