import Commands

/// `nus connect`: the terminal on one side, a device on the other.
enum ConnectCommand {
    static let command = Command<Invocation>(
        name: "connect",
        summary: "Talk to a device.",
        discussion: """
            Connects to a device, sends it what is typed, line by line, and shows the lines that it sends; again when the link was
            lost, until it is interrupted. A line ends with a line feed. What is typed while there is no connection is sent when
            there is one; when a link is lost, it is told how much of what was being sent was not.

            With --json: one object a line with the member event and what there is to tell:
              searching         nothing else
              connected         address, name
              line              line
              notSent           lost (bytes), message
              disconnected      address, message
              failedToConnect   address, message
            """,
        operand: Invocation.device,
        options: [.raw, .seconds, .wait],
        run: { invocation in
            try await invocation.limited { try await invocation.keepConnected(.terminal(invocation)) }
        }
    )
}
