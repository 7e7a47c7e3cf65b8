import EventLoops
import FlicClient
import FlicSimulator
import GATT

@testable import BlueZ

/// Uses BlueZ's central directly and notes what it tells.
actor FakeLinkUser {
    nonisolated let stage: FakeStage
    nonisolated let central: BlueZCentral
    nonisolated var unownedExecutor: UnownedSerialExecutor { central.unownedExecutor }
    nonisolated let transcript = FakeTranscript()
    private(set) var link: LinkID?

    init(_ stage: FakeStage, transfer: ValueTransfer = .messages) {
        self.stage = stage
        central = BlueZCentral(session: BlueZSession(bus: stage.bus.address, loop: VirtualTime.makeLoop("user")), transfer: transfer)
    }

    /// Waits until Bluetooth is on.
    func start() async {
        begin()
        await transcript.wait(for: "state poweredOn")
    }

    private func begin() {
        central.assumeIsolated { central in
            central.start { [transcript] event in
                if case .state(let state) = event { transcript.note("state \(state)") }
            }
        }
    }

    /// Asks for a link to the stage's button.
    func open(timeout: Duration = .seconds(20)) {
        let request = LinkRequest(
            address: stage.button.address,
            service: FlicGATT.service,
            notifying: [FlicGATT.fromButton],
            writable: [FlicGATT.toButton],
            timeout: timeout
        )
        link = central.assumeIsolated { central in
            central.open(request) { [transcript] event in
                switch event {
                case .connected: transcript.note("connected")
                case .ready(let mtu): transcript.note("ready \(mtu)")
                case .value(let value, _): transcript.note("value \(value)")
                case .closed(let error): transcript.note("closed \(error.map { "\($0.code)" } ?? "nil")")
                }
            }
        }
    }

    func write(_ value: [UInt8]) {
        guard let link else { return }
        central.assumeIsolated { $0.write(value, to: FlicGATT.toButton, on: link) }
    }

    func roundTrip() async { await central.roundTrip() }

    func close(_ ending: LinkEnding = .keepingShared) {
        guard let link else { return }
        central.assumeIsolated { $0.close(link, ending) }
    }
}

extension BlueZCentral {
    /// Asks the daemon something. Everything that either sent before has arrived when this returns.
    func roundTrip() async {
        await withCheckedContinuation { continuation in
            call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects") { _, _ in continuation.resume() }
        }
    }
}
