import BlueZ
import EventLoops
import GATT
import Logs

/// The way from the program to the loop.
///
/// The order of calls is kept where the loop is told under the lock of the records.
extension CBPeripheralManager {
    /// Does something on the loop.
    func call(_ body: @escaping @Sendable (isolated PeripheralDesk) -> Void) {
        desk.loop.execute { [desk] in desk.assumeIsolated { body($0) } }
    }

    func answer(_ request: RequestID, _ answer: Result<[UInt8], ATTError>) {
        call { $0.respond(to: request, with: answer) }
    }

    func remark(_ level: LogLevel, _ text: String) { log(level, LogArea.peripheral.remark(text)) }

    /// Whether the state allows a command. It is dropped else, as on iOS (contract D21).
    func isUsable(for command: String, evenOff: Bool = false) -> Bool {
        let state = state
        if state == .poweredOn || (evenOff && state == .poweredOff) { return true }
        remark(.problem, "\(command): Bluetooth is not there, or not switched on; the call has no effect")
        return false
    }
}
