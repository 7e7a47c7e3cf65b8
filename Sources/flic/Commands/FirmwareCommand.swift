import FlicBridge
import FlicClient
import FoundationEssentials

/// `flic firmware`: which firmware buttons have, and another one for a button.
///
/// JSON of `status`: a line for each button, ``VersionLine``. JSON of `update`: ``FirmwareLine``s.
enum FirmwareCommand {
    private static let patience = Option(
        name: "--patience",
        value: "S",
        summary: "With update: give up when nothing has come forward for this many seconds (120)."
    )

    static let command = Command(
        name: "firmware",
        summary: "Show the firmware of buttons, or update that of one.",
        discussion: """
            'firmware status' shows the version that the named button, or each, has told last. Needs no Bluetooth; a daemon that
            runs is asked.

            'firmware update' sends a firmware image, which is yours to have: nothing is downloaded. Only the form of the file is
            checked here; the button checks its signature, and goes on with what it has if that is wrong. A lost connection does
            not end the update: it goes on where the button says when it is back. At the end the button restarts, and its new
            version is shown. An update that was interrupted goes on when the same one is begun again. Presses made meanwhile are
            not shown. A daemon must not run, for it has the buttons.

            With --json, status: one object a button with the members button (serial number), uuid, name and firmware. With
            --json, update: one object a line with the members event, time (seconds since the start), date, button, uuid, name
            and what there is to tell:
              waiting               the button is not ready
              transferring          acknowledged and total (bytes)
              restarting            nothing else
              updated               oldFirmware, firmware
            """,
        operands: [
            Operand(name: "status|update", summary: "What is to be done.", count: 1...1, choices: .words(["status", "update"])),
            .button(0...1),
            Operand(name: "FILE", summary: "With update: the image; '-' is standard input.", count: 0...1, choices: .files),
        ],
        options: [patience, Invocation.wait, Invocation.record, Invocation.socket],
        run: run
    )

    private struct VersionLine: Encodable {
        var button: String
        var uuid: String
        var name: String?
        /// Left out if it is not known.
        var firmware: UInt32?
    }

    private static func run(_ invocation: Invocation) async throws {
        let operands = invocation.arguments.operands
        switch operands[0] {
        case "status":
            guard operands.count < 3 else { throw ArgumentTable.UsageError(text: "'firmware status' takes no argument '\(operands[2])'.") }
            try await showVersions(Array(operands.dropFirst()), invocation)
        case "update":
            guard operands.count == 3 else { throw ArgumentTable.UsageError(text: "'firmware update' needs a BUTTON and a FILE.") }
            try await update(operands[1], with: operands[2], invocation)
        default: throw ArgumentTable.UsageError(text: "'firmware' needs 'status' or 'update', not '\(operands[0])'.")
        }
    }

    private static func showVersions(_ names: [String], _ invocation: Invocation) async throws {
        let buttons = try await invocation.buttons(names)
        guard invocation.isJSON else {
            return invocation.print(rows: buttons.map { [$0.title, $0.firmware == 0 ? "-" : "\($0.firmware)"] })
        }
        for facts in buttons {
            let firmware = facts.firmware == 0 ? nil : facts.firmware
            try invocation.printJSON(VersionLine(button: facts.button, uuid: facts.uuid, name: facts.name, firmware: firmware))
        }
    }

    // MARK: Update

    private static func update(_ name: String, with path: String, _ invocation: Invocation) async throws {
        let patience = try invocation.arguments.seconds(patience) ?? .seconds(120)
        // A byte more than an image can have, so that a larger file is told as one.
        let file = try await UserFile.read(path, limit: FirmwareImage.sizes.upperBound + 1)
        guard try await invocation.daemon() == nil else {
            throw Failure(.failed, "daemonRuns", "A daemon has the buttons; end it for the time of the update ('systemctl stop flickit').")
        }
        var store = try await OpenedStore(try invocation.store())
        guard let chosen = try await invocation.chosenButtons([name], in: store.records).first else { throw Failure.noButtons }
        let image = try image(file, for: chosen.product)
        store.awake = [chosen.identifier]
        try await invocation.withHub(store) { hub in
            try await hub.requirePower()
            guard let button = await hub.flic.buttons.first(where: { $0.identifier == chosen.identifier }) else { throw FlicError(.alreadyForgotten) }
            let printer = FirmwarePrinter(invocation, chosen)
            defer { printer.end() }
            for try await update in button.updateFirmware(with: image, patience: patience) { printer.show(update) }
            try Task.checkCancellation()
        }
    }

    private static func image(_ file: Data, for product: FlicProduct) throws(Failure) -> FirmwareImage {
        do {
            return try FirmwareImage(file, for: product.image)
        } catch {
            throw Failure(.failed, "noFirmware", error.description)
        }
    }
}

extension Failure {
    init(_ error: FirmwareError) {
        let code: ExitCode =
            switch error.code {
            case .alreadyUpdating, .notConnecting, .notUnderstood, .notRestarted: .failed
            case .busy, .awaitsRestart, .wrongProduct, .refused, .invalidSignature: .refused
            case .noProgress: .timedOut
            }
        let cure =
            switch error.code {
            case .noProgress: "bring it closer and begin again: it goes on where it was"
            case .awaitsRestart: "disconnect it everywhere, then try again"
            case .busy: "wait until that is done, then try again"
            case .alreadyUpdating, .notConnecting, .notUnderstood, .notRestarted: "try again ('-v' tells more)"
            case .wrongProduct, .refused, .invalidSignature: "it goes on with the firmware that it has"
            }
        self.init(code, error.code.rawValue, "\((error.errorDescription ?? "").withoutFullStop); \(cure).")
        detail = error.detail
    }
}
