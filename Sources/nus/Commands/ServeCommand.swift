import Commands
import EventLoops
import GATT
import UART

/// `nus serve`: the terminal on one side, whoever connects on the other.
enum ServeCommand {
    private static let name = Option(name: "--name", value: "NAME", summary: "Under which it is found, 29 bytes at most (nus).")
    private static let echo = Option(name: "--echo", summary: "Send back what comes.")

    static let command = Command<Invocation>(
        name: "serve",
        summary: "Be a device that others talk to.",
        discussion: """
            Publishes and advertises the Nordic UART Service, shows the lines that a client sends, and sends it what is typed, until
            it is interrupted. One client at a time; what is typed while there is none is sent to the next one.

            With --json: one object a line with the member event and what there is to tell:
              advertising       name
              connected         address
              line              line
              notSent           lost (bytes), message
              disconnected      address, message
              failedToServe     message
            """,
        options: [name, echo, .raw, .seconds, .wait],
        run: { invocation in try await invocation.limited { try await run(invocation) } }
    )

    private static func run(_ invocation: Invocation) async throws {
        let transport = try invocation.transport()
        let name = invocation.arguments.value(name) ?? "nus"
        guard name.utf8.count <= 29 else { throw ArgumentError(text: "The name has \(name.utf8.count) bytes; there is room for 29.") }
        let conversation = Conversation.terminal(invocation, echoes: invocation.arguments.has(echo))
        let server = UARTServer(peripheral: transport.peripheral, name: name)
        await server.start()
        do {
            for await notice in server.notices {
                switch notice {
                case .bluetooth(let state): try await invocation.require(state, transport)
                case .advertising:
                    var event = Event("advertising", "Can be found as \(name).")
                    event.name = name
                    invocation.show(event)
                case .failed(let error):
                    var event = Event("failedToServe", "The service is not on the air: \(error)")
                    event.message = error.description
                    invocation.show(event)
                case .connected(let connection): try await conversation.hold(connection)
                }
            }
            throw CancellationError()
        } catch {
            await server.end()
            throw error
        }
    }
}
