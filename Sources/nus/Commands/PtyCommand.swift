import Commands
import EventLoops
import UART

/// `nus pty`: a serial port for other programs on one side, a device on the other.
enum PtyCommand {
    static let command = Command<Invocation>(
        name: "pty",
        summary: "Make a device look like a serial port.",
        discussion: """
            Makes a pseudo-terminal, whose path it prints, and connects it to a device: other programs open it like a serial port.
            Bytes pass as they are. When the link is lost it is told how many bytes were not sent, and the device is connected again;
            meanwhile what programs write waits, and so do they. What the device sends waits for a program that reads: 1 MiB
            of it, and what is lost beyond that is told.

            With --json: one object a line with the member event and what there is to tell:
              pty               path
              searching         nothing else
              connected         address, name
              notSent           lost (bytes), message
              notRead           lost (bytes), message
              disconnected      address, message
              failedToConnect   address, message
            """,
        operand: Invocation.device,
        options: [.seconds, .wait],
        run: { invocation in try await invocation.limited { try await run(invocation) } }
    )

    private static func run(_ invocation: Invocation) async throws {
        let terminal = try PseudoTerminal()
        var event = Event("pty", terminal.path)
        event.path = terminal.path
        event.isResult = true
        invocation.show(event)
        let conversation = Conversation(invocation: invocation, source: terminal.reader) { connection in
            var lost = 0
            for await bytes in connection.bytes {
                if terminal.writer.offer(bytes) {
                    if lost > 0 { tell(lost, "reads again: \(lost) bytes before were lost", terminal, invocation) }
                    lost = 0
                } else {
                    if lost == 0 { tell(bytes.count, "is not read: bytes are being lost", terminal, invocation) }
                    lost += bytes.count
                }
            }
            if lost > 0 { tell(lost, "was not read: \(lost) bytes were lost", terminal, invocation) }
        }
        try await invocation.keepConnected(conversation)
    }

    private static func tell(_ lost: Int, _ text: String, _ terminal: PseudoTerminal, _ invocation: Invocation) {
        var event = Event("notRead", "\(terminal.path) \(text).")
        event.lost = lost
        event.message = event.text
        invocation.show(event)
    }
}
