import Commands
import EventLoops
import GATT
import UART

/// Commands that are clients.
extension Invocation {
    static let device = Operand(name: "NAME", summary: "Name or address of the device; any that has the service if left out.", count: 0...1)

    /// The device that the operand names.
    var choice: UARTChoice {
        guard let text = arguments.operands.first else { return .any }
        return BluetoothAddress(text).map { .address($0) } ?? UARTChoice(name: text)
    }

    /// Connects, and again after each end of a connection, for as long as the task goes on.
    func keepConnected(_ conversation: Conversation) async throws {
        let transport = try transport()
        let client = UARTClient(central: transport.central)
        await client.connect(to: choice)
        do {
            for await notice in client.notices {
                switch notice {
                case .bluetooth(let state): try await require(state, transport)
                case .searching:
                    show(Event("searching", "Searching for \(arguments.operands.first ?? "a device with the Nordic UART Service")."))
                case .idle: break
                case .failed(let address, let error):
                    var event = Event("failedToConnect", "No connection to \(address): \(error)")
                    event.address = address.description
                    event.message = error.description
                    show(event)
                case .connected(let connection): try await conversation.hold(connection)
                }
            }
            throw CancellationError()
        } catch {
            await client.end()
            throw error
        }
    }

    /// Ends well when the time that was asked for is over.
    func limited(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let time = try arguments.seconds(.seconds)
        try await race(
            body,
            {
                if let time { await pass(time) } else { try await untilCancelled() }
            }
        )
    }

    /// Waits on the loop's clock. Ends early if the task is cancelled.
    func pass(_ time: Duration) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let timer = context.loop.schedule(after: time) { end.finish() }
        for await _ in ends {}
        timer.cancel()
    }
}
