import Commands

extension Measurement {
    private static let cycles = Option(name: "--cycles", value: "N", summary: "Lose and make the link so often (10000).")
    private static let bluez = Option(name: "--bluez", summary: "Reach the button over a bus, with a simulated bluetoothd.")

    static let leaks = Measurement(
        name: "leaks",
        summary: "What is left behind by links that come and go.",
        discussion: """
            An application is connected to a simulated button whose link is lost, over and over again; each time the button is pressed,
            connects, verifies, and tells its press. Measured, after each hundredth of all cycles, is what the process uses
              heap         memory that was asked for and not given back
              descriptors  open files and sockets
            The first fifth is the warm-up. If there is more at the end than after it, the command fails, and names it.

            Time is simulated. With --bluez everything below the application is there, too, down to the messages on a bus of its own.
            """,
        options: [cycles, bluez]
    ) { invocation in
        let count = try invocation.arguments.count(cycles, usual: 10_000)
        let run = LeakRun(cycles: count, isOverBus: invocation.arguments.has(bluez))
        return try run.report(try await run.measure())
    }
}
