import EventLoops
import FlicSimulator
import GATT
import UARTDoubles

@testable import NordicUART

/// A manager on a scripted central, on virtual time, and a program that writes down what it hears.
final class Stage: @unchecked Sendable {
    static let device = BluetoothAddress("C0:00:00:00:00:01", kind: .random)!
    static let other = BluetoothAddress("C0:00:00:00:00:02", kind: .random)!

    let loop = VirtualLoop()
    let central: ScriptedCentral
    let program = Program()
    let queue = DispatchQueue(label: "delivery")
    private(set) var manager: NRFManager!

    /// - Parameter isOn: Whether Bluetooth is on.
    static func play(
        isOn: Bool = true,
        autoConnect: Bool = true,
        _ body: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        let stage = Stage()
        try await stage.loop.run(timeLimit: .seconds(3600)) {
            var options = NordicUARTOptions()
            options.central = stage.central
            options.queue = stage.queue
            options.log = { [program = stage.program] in program.remarks.note("\($1)") }
            let program = stage.program
            stage.manager = make(options) {
                NRFManager(
                    delegate: program,
                    onConnect: { [unowned program] in program.hear("C connected") },
                    onDisconnect: { [unowned program] in program.hear("C disconnected") },
                    onData: { [unowned program] data, string in program.hear("C data \(data?.count ?? -1) \(string ?? "nil")") },
                    autoConnect: autoConnect
                )
            }
            stage.program.manager = stage.manager
            if isOn { await stage.central.tell(.state(.poweredOn)) }
            await stage.settle()
            try await body(stage)
        }
    }

    private init() { central = ScriptedCentral(loop: loop) }

    private static let making = Locked(())

    /// A manager with these options, which are the process's: no two are made at a time.
    static func make<Manager: NRFManager>(_ options: NordicUARTOptions, _ body: () -> Manager) -> Manager {
        making.withLock { _ in
            NordicUARTOptions.standard = options
            defer { NordicUARTOptions.standard = NordicUARTOptions() }
            return body()
        }
    }

    /// A manager where there is no Bluetooth.
    static func makeAlone<Manager: NRFManager>(_ body: () -> Manager) -> Manager {
        var options = NordicUARTOptions()
        options.central = AbsentCentral()
        return make(options, body)
    }

    /// Everything that has been asked or told so far has had its effect.
    func settle() async {
        for _ in 0..<30 {
            await withCheckedContinuation { continuation in
                loop.execute { [queue] in queue.async { continuation.resume() } }
            }
        }
    }

    /// What the program has heard since.
    func heard() async -> [String] {
        await settle()
        return program.lines.take()
    }

    /// What the central was asked since.
    func asked() async -> [String] {
        await settle()
        return await central.takeJournal()
    }

    func tell(_ event: LinkEvent) async {
        await central.tell(event)
        await settle()
    }

    func tell(_ state: CentralState) async {
        await central.tell(.state(state))
        await settle()
    }

    /// A device is heard and connected.
    func connect(_ name: String? = "A", mtu: Int = 23) async {
        await settle()
        await central.hear(Self.device, name)
        await central.connect(mtu: mtu)
        await settle()
    }

    /// Connected, and all about it forgotten.
    func begin(_ name: String? = "A", mtu: Int = 23) async {
        await connect(name, mtu: mtu)
        _ = await heard()
        _ = await asked()
    }
}

/// Writes down what it hears, with the status of that moment.
final class Program: NRFManagerDelegate, @unchecked Sendable {
    let lines = Transcript()
    let remarks = Transcript()
    weak var manager: NRFManager?
    let onConnect = Locked<((NRFManager) -> Void)?>(nil)

    func hear(_ line: String) { lines.note("\(line), \(Self.word(manager?.connectionStatus)) \(Self.word(manager?.connectionMode))") }

    func nrfDidConnect(_ nrfManager: NRFManager) {
        hear("D connected to \(nrfManager.showName())")
        onConnect.withLock { $0 }?(nrfManager)
    }

    func nrfDidDisconnect(_ nrfManager: NRFManager) { hear("D disconnected from '\(nrfManager.showName())'") }

    func nrfReceivedData(_ nrfManager: NRFManager, data: Data?, string: String?) { hear("D data \(data?.count ?? -1) \(string ?? "nil")") }

    /// Switches over all cases, without a default (C1, C2).
    static func word(_ status: ConnectionStatus?) -> String {
        switch status {
        case .disconnected: "disconnected"
        case .scanning: "scanning"
        case .connected: "connected"
        case nil: "?"
        }
    }

    static func word(_ mode: ConnectionMode?) -> String {
        switch mode {
        case .uart: "uart"
        case .pinIO: "pinIO"
        case .some(.none): "none"
        case nil: "?"
        }
    }
}
