import EventLoops
import FlicSimulator
import GATT
import UART
import UARTDoubles

/// A client on a scripted central, on virtual time.
struct Stage: Sendable {
    static let device = BluetoothAddress("C0:00:00:00:00:01", kind: .random)!
    static let other = BluetoothAddress("C0:00:00:00:00:02", kind: .random)!

    let loop: VirtualLoop
    let central: ScriptedCentral
    let client: UARTClient

    /// Bluetooth is on.
    static func play(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
        let loop = VirtualLoop()
        try await loop.run(timeLimit: .seconds(3600)) {
            let central = ScriptedCentral(loop: loop)
            let stage = Stage(loop: loop, central: central, client: UARTClient(central: central))
            await stage.client.start()
            await central.tell(.state(.poweredOn))
            try await body(stage)
        }
    }

    /// A connection to the device.
    func connection(mtu: Int = 23) async -> UARTConnection {
        await client.connect(to: .any)
        return await reconnect(mtu: mtu)
    }

    /// The connection that is searched for is there.
    func reconnect(mtu: Int = 23) async -> UARTConnection {
        await central.hear(Self.device, "A")
        await central.connect(mtu: mtu)
        for await notice in client.notices { if case .connected(let connection) = notice { return connection } }
        fatalError("the notices have ended")
    }

    /// Writes, and tells why that failed.
    func write(_ bytes: [UInt8], _ connection: UARTConnection) -> Task<UARTError?, Never> {
        Task(executorPreference: loop) {
            do throws(UARTError) { try await connection.write(bytes) } catch { return error }
            return nil
        }
    }

    /// What is under way has had its effect.
    func settle() async { await loop.pause(for: .zero) }
}

/// `count` bytes that tell where they are.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) } }
