import FlicBridge
import FlicClient
import FlicSimulator
import FoundationEssentials

/// `flic simulate`: a virtual button on the air, for tests without a real one.
///
/// JSON, a line for each event: `simulating` (`button`, `address`, `seed`, `testRoot`), then ``EventLine`` with `time` and `date` for
/// what is done (`press`, `release`, `click`, `double`, `hold`, `swipe`, `turn`, `mode`, `public`, `reboot`, `battery`, `name`) and what happens (`connected`,
/// `disconnected`, `bluetooth`, `failed`).
enum SimulateCommand {
    private static let seed = Option(name: "--seed", value: "N", summary: "Make the button that follows from this number (a random one).")

    private static let duo = Option(name: "--duo", summary: "Make it a Flic Duo, with a big button (0) and a small one (1).")
    private static let twist = Option(name: "--twist", summary: "Make it a Flic Twist, a knob that can be pressed.")
    private static let makeFirmware = Option(
        name: "--make-firmware",
        value: "FILE",
        choices: .files,
        summary: "Write a firmware image that the button takes to this new file, and end."
    )
    /// What the image brings; the button begins with 10.
    private static let firmwareVersion: UInt32 = 11
    /// In bytes. As large as real ones, so that an update takes its time.
    private static let firmwareSize = 100_000

    static let command = Command(
        name: "simulate",
        summary: "Put a virtual button on the air.",
        discussion: """
            Makes this machine's Bluetooth adapter a button that other machines can pair with, if they trust the test root key that
            it prints (see --trust-test-root). Its pairings are lost when it ends. What is done with the button is read from
            standard input, one command a line; at a terminal single keys will do. At the end of the input the button stays on the
            air until it is interrupted.

            With --make-firmware there is no button but a file for 'flic firmware update', with version \(firmwareVersion) for every
            button of this command.

            Commands:
            \(SimulateInput.lineHelp)

            Keys:
            \(SimulateInput.keyHelp)

            With --json: one object a line; at first one with the members event ("simulating"), button (serial number), address,
            seed and testRoot, then event, time (seconds since the start), date and what there is to tell:
              press, release, click, double, hold   count (the button's counter), and of a Duo buttonNumber
              swipe                                 the same, and gesture
              turn                                  turns
              mode                                  twistMode
              public, reboot                        nothing else
              battery                               volts
              name                                  name
              connected                             address (of the other machine)
              disconnected                          nothing else
              bluetooth                             state, message
              failed                                message
            With --make-firmware: one object with the members event ("firmwareMade"), file, bytes and firmware (the version).
            """,
        options: [seed, duo, twist, makeFirmware],
        run: run
    )

    private struct Simulating: Encodable {
        var event = "simulating"
        var button: String
        var address: String
        var seed: UInt64
        var testRoot: String
    }

    private static func run(_ invocation: Invocation) async throws {
        if let path = invocation.arguments.value(makeFirmware) { return try make(firmware: path, invocation) }
        let design = ButtonDesign(seed: try chosenSeed(invocation), product: try product(invocation))
        let printer = EventPrinter(invocation)
        let broadcast = try await invocation.context.makeBroadcast(invocation.transportRequest, design) { printer.show(EventLine($0)) }
        do {
            try introduce(broadcast.button.identity, design.seed, invocation)
            let hand = SimulateHand(button: broadcast.button, invocation: invocation, printer: printer)
            try await hand.followInput()
        } catch {
            await broadcast.end()
            throw error
        }
        await broadcast.end()
    }

    private struct FirmwareMade: Encodable {
        var event = "firmwareMade"
        var file: String
        var bytes: Int
        var firmware = SimulateCommand.firmwareVersion
    }

    private static func make(firmware path: String, _ invocation: Invocation) throws {
        let image = SimulatedFirmware.image(version: firmwareVersion, size: firmwareSize, product: try product(invocation).image)
        try UserFile.create(path, contents: Data(SimulatedFirmware.file(image)))
        if invocation.isJSON { return try invocation.printJSON(FirmwareMade(file: path, bytes: image.size)) }
        invocation.print("Firmware \(firmwareVersion) for simulated buttons, \(image.size) bytes: \(path)")
    }

    private static func product(_ invocation: Invocation) throws(ArgumentTable.UsageError) -> FlicProduct {
        switch (invocation.arguments.has(duo), invocation.arguments.has(twist)) {
        case (true, true): throw ArgumentTable.UsageError(text: "A button is a Flic Duo or a Flic Twist, not both.")
        case (true, false): .duo
        case (false, true): .twist
        case (false, false): .flic2
        }
    }

    private static func chosenSeed(_ invocation: Invocation) throws(ArgumentTable.UsageError) -> UInt64 {
        guard let text = invocation.arguments.value(seed) else { return .random(in: 0...UInt64(UInt32.max)) }
        guard let seed = UInt64(text) else {
            throw ArgumentTable.UsageError(text: "The option '--seed' needs a whole number that is not negative, not '\(text)'.")
        }
        return seed
    }

    private static func introduce(_ identity: ButtonIdentity, _ seed: UInt64, _ invocation: Invocation) throws {
        let testRoot = Hexadecimal.text(TestRoot.publicKey)
        let address = identity.address.description
        if invocation.isJSON {
            return try invocation.printJSON(Simulating(button: identity.serialNumber, address: address, seed: seed, testRoot: testRoot))
        }
        invocation.print("Simulated button \(identity.serialNumber), address \(address), seed \(seed)")
        invocation.print("Test root \(testRoot)")
        invocation.remark("Pair with it on another machine: flic pair --trust-test-root published")
        invocation.remark(invocation.context.input.isTerminal ? SimulateInput.keyHelp : "'help' shows what can be typed.")
    }
}

extension EventLine {
    fileprivate init(_ notice: BroadcastNotice) {
        switch notice {
        case .state(let state, let problem):
            self.init(state)
            self.message = problem
            if let problem { text += " (\(problem))" }
        case .connected(let address):
            self.init("connected", text: "connected to \(address)", style: .good)
            self.address = address.description
        case .disconnected:
            self.init("disconnected", text: "disconnected")
        case .failed(let text):
            self.init("failed", text: text, style: .bad)
            self.message = text
        }
    }
}
