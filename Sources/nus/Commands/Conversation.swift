import Commands
import EventLoops
import GATT
import UART

/// What is at this end of a connection: where the bytes to send come from, and where those go that come.
struct Conversation: Sendable {
    let invocation: Invocation
    /// Where the bytes to send come from.
    let source: ByteReader
    /// Takes what comes over a connection, until that ends.
    let receive: @Sendable (UARTConnection) async -> Void

    /// Typed lines, or bytes, and lines, or bytes, that are shown.
    ///
    /// - Parameter echoes: What comes goes back as well.
    static func terminal(_ invocation: Invocation, echoes: Bool = false) -> Conversation {
        Conversation(invocation: invocation, source: invocation.context.input) { connection in
            let echo = { @Sendable (bytes: [UInt8]) async -> Void in
                if echoes { try? await connection.write(bytes) }  // a link that is gone says so itself
            }
            if invocation.arguments.has(.raw) {
                for await bytes in connection.bytes {
                    invocation.context.writeBytes(bytes)
                    await echo(bytes)
                }
            } else {
                for await line in connection.lines() {
                    var event = Event("line", line)
                    event.line = line
                    event.isResult = true
                    invocation.show(event)
                    await echo(Array("\(line)\n".utf8))
                }
            }
        }
    }

    /// Goes on until the connection ends.
    func hold(_ connection: UARTConnection) async throws {
        var event = Event("connected", "Connected to \(connection.title).")
        event.address = connection.address.description
        event.name = connection.name
        invocation.show(event)
        try await race(
            { await receive(connection) },
            {
                while let bytes = await source.next() {
                    do throws(UARTError) {
                        try await connection.write(bytes)
                    } catch {
                        guard error.code == .closed else {
                            tell(error)
                            continue
                        }
                        source.putBack(bytes)  // for the next connection
                        break
                    }
                }
                try await untilCancelled()
            }
        )
        let problem = await connection.problem
        event = Event("disconnected", "The connection has ended\(problem.map { ": \($0)" } ?? "").")
        event.address = connection.address.description
        event.message = problem?.description
        invocation.show(event)
    }

    private func tell(_ error: UARTError) {
        guard error.code != .cancelled else { return }
        var event = Event("notSent", error.description)
        event.lost = error.byteCount - error.handedOver
        event.message = error.description
        invocation.show(event)
    }
}

extension UARTConnection {
    /// How people know the other end.
    nonisolated var title: String { name.map { "\($0) (\(address))" } ?? address.description }
}
