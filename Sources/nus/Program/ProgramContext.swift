import BlueZ
import Commands
import EventLoops
import FoundationEssentials
import GATT
import Glibc
import Logs

/// What the program has of the world. Tests give it another one.
struct ProgramContext: Sendable {
    /// Where transports run and times are measured.
    var loop: any EventLoop
    var output: Output
    /// Takes bytes that are no lines: waits until they are written.
    var writeBytes: @Sendable ([UInt8]) -> Void
    /// The value of a variable.
    var environment: @Sendable (String) -> String?
    /// An element for each wish that the program end.
    var interrupts: @Sendable () -> AsyncStream<Void>
    /// What is typed.
    var input: ByteReader
    var makeTransport: @Sendable (_ adapter: AdapterChoice, _ log: @escaping @Sendable (String) -> Void) -> Transport
}

/// A way to other devices.
struct Transport: Sendable {
    let central: any Central
    let peripheral: any Peripheral
    /// What it knows about why Bluetooth is not available: a sentence.
    var problem: @Sendable () async -> String? = { nil }
}

extension ProgramContext {
    /// The world as it is.
    static var system: ProgramContext {
        let loop = DispatchLoop(label: "nus")
        return ProgramContext(
            loop: loop,
            output: Terminal.output,
            writeBytes: Terminal.write,
            environment: { ProcessInfo.processInfo.environment[$0] },
            interrupts: Interrupts.stream,
            input: ByteReader(Descriptor(dup(STDIN_FILENO))),
            makeTransport: { adapter, log in
                let session = BlueZSession(adapter: adapter, loop: loop, log: log)
                return Transport(central: BlueZCentral(session: session), peripheral: BlueZPeripheral(session: session)) { await session.problem }
            }
        )
    }
}
