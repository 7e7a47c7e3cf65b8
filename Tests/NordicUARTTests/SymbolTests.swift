import CoreBluetooth
import Testing
import UARTDoubles

@testable import NordicUART

@Suite("Names and manners of NRFManager", .timeLimit(.minutes(1)))
struct SymbolTests {
    @Test("C1, C2, C6, C7, C10: a new manager, in every spelling (C4)")
    func makers() async throws {
        try await Stage.play(isOn: false) { stage in
            let manager = stage.manager!
            #expect(manager.connectionMode == .none && manager.connectionStatus == .disconnected)
            #expect(!manager.verbose && manager.autoConnect)
            #expect(await stage.heard() == [], "nothing is called from an initializer (A24)")
        }
    }

    @Test("C5: the shared manager is always the same, and connects by itself")
    func shared() {
        let first = Stage.makeAlone { NRFManager.sharedInstance }
        #expect(NRFManager.sharedInstance === first)
        #expect(first.autoConnect && first.delegate == nil)
    }

    @Test("C3, C6: a subclass may watch verbose")
    func subclass() {
        final class Loud: NRFManager {
            var changes: [Bool] = []
            override var verbose: Bool { didSet { changes.append(verbose) } }
        }
        let manager = Stage.makeAlone { Loud(autoConnect: false) }
        manager.verbose = true
        manager.verbose = false
        #expect(manager.changes == [true, false])
    }

    @Test("C8: the delegate is held, until it is replaced")
    func delegate() {
        final class Listener: NRFManagerDelegate {}
        weak var weakly: Listener?
        let manager = Stage.makeAlone { NRFManager(autoConnect: false) }
        do {
            let listener = Listener()
            weakly = listener
            manager.delegate = listener
        }
        #expect(weakly != nil && manager.delegate === weakly)
        manager.delegate = nil
        #expect(weakly == nil)
    }

    @Test("C15, A6: all methods of the delegate are optional")
    func optional() {
        final class Deaf: NRFManagerDelegate {}
        let (deaf, manager) = (Deaf(), Stage.makeAlone { NRFManager(autoConnect: false) })
        deaf.nrfDidConnect(manager)
        deaf.nrfDidDisconnect(manager)
        deaf.nrfReceivedData(manager, data: nil, string: nil)
        #expect(deaf.nrfDidConnect != nil && deaf.nrfDidDisconnect != nil && deaf.nrfReceivedData != nil)
    }

    @Test("A7: calls are relayed with a question mark")
    func relay() {
        final class Relay: NRFManagerDelegate {
            var other: (any NRFManagerDelegate)?
            func nrfDidConnect(_ nrfManager: NRFManager) { other?.nrfDidConnect?(nrfManager) }
            func nrfDidDisconnect(_ nrfManager: NRFManager) { other?.nrfDidDisconnect?(nrfManager) }
            func nrfReceivedData(_ nrfManager: NRFManager, data: Data?, string: String?) {
                other?.nrfReceivedData?(nrfManager, data: data, string: string)
            }
        }
        let (relay, program, manager) = (Relay(), Program(), Stage.makeAlone { NRFManager(autoConnect: false) })
        relay.other = program
        let delegate: any NRFManagerDelegate = relay
        delegate.nrfDidConnect(manager)
        delegate.nrfDidDisconnect(manager)
        delegate.nrfReceivedData(manager, data: Data([65]), string: "A")
        #expect(program.lines.lines.map { $0.prefix { $0 != "," } } == ["D connected to ", "D disconnected from ''", "D data 1 A"])
    }

    @Test("C16: the UUIDs, from the view of the client")
    func uuids() {
        #expect(UARTPeripheral.uartServiceUUID() == CBUUID(string: "6e400001-b5a3-f393-e0a9-e50e24dcca9e"))
        #expect(UARTPeripheral.txCharacteristicsUUID() == CBUUID(string: "6e400002-b5a3-f393-e0a9-e50e24dcca9e"))
        #expect(UARTPeripheral.rxCharacteristicsUUID() == CBUUID(string: "6e400003-b5a3-f393-e0a9-e50e24dcca9e"))
        #expect(UARTPeripheral.deviceInformationServiceUUID().uuidString == "180A")
        #expect(UARTPeripheral.hardwareRevisionStringUUID().uuidString == "2A27")
    }
}
