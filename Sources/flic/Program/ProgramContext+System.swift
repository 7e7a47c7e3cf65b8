import BlueZ
import FlicBridge
import FlicSimulator
import FoundationEssentials

/// The world as it is.
extension ProgramContext {
    static var system: ProgramContext {
        let loop = DispatchLoop(label: "flic")
        return ProgramContext(
            loop: loop,
            output: Terminal.output,
            interrupts: Interrupts.stream,
            reloads: Reloads.stream,
            input: StandardInput.input(),
            makeTransport: { request in
                let session = try session(request, on: loop)
                return Transport(central: BlueZCentral(session: session)) { await session.problem }
            },
            makeBroadcast: { request, design, tell in
                let session = try session(request, on: loop)
                let onAir = ButtonOnAir(
                    peripheral: BlueZPeripheral(session: session),
                    log: { tell(.failed($0)) },
                    hostChanged: { tell($0.map(BroadcastNotice.connected) ?? .disconnected) }
                )
                do throws(PeripheralError) {
                    let button = try await onAir.start(seed: design.seed, product: design.product)
                    return Broadcast(button: button) { await onAir.stop() }
                } catch {
                    throw Failure(error, problem: await session.problem)
                }
            },
            makeStore: { directory, log in
                FileStore(directory: try directory ?? FileStore.defaultDirectory(application: "flickit"), log: log)
            },
            sockets: { SocketPlace.usual { ProcessInfo.processInfo.environment[$0] } }
        )
    }

    private static func session(_ request: TransportRequest, on loop: DispatchLoop) throws(ArgumentTable.UsageError) -> BlueZSession {
        BlueZSession(adapter: try request.adapterChoice(), loop: loop) { request.log(.debug, LogArea.bluez.remark($0)) }
    }
}

extension Failure {
    /// A button could not be put on the air.
    fileprivate init(_ error: PeripheralError, problem: String?) {
        switch error.code {
        case .notPoweredOn:
            self.init(.bluetoothUnavailable, "unsupported", problem ?? "There is no Bluetooth adapter that is switched on.")
        case .denied:
            self.init(.denied, "unauthorized", "This user may not publish Bluetooth services.")
        case .invalid, .limitReached, .withdrawn, .failed:
            self.init(
                .failed,
                "failed",
                "The button could not be put on the air; another program may use the adapter for advertising ('-v' tells more)."
            )
        }
        detail = error.description
    }
}
