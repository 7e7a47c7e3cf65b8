import BlueZ
import Commands
import EventLoops
import GATT
import Logs

/// One call of the program: what was asked for, and the world in which it was.
struct Invocation: Sendable {
    let arguments: ParsedArguments
    let context: ProgramContext
    private let standardLog: StandardLog

    init(arguments: ParsedArguments, context: ProgramContext) {
        self.arguments = arguments
        self.context = context
        standardLog = StandardLog(
            program: "nus",
            arguments: arguments,
            loop: context.loop,
            environment: context.environment,
            output: context.output
        )
    }

    var isJSON: Bool { arguments.has(.json) }

    /// The way to other devices that was asked for.
    func transport() throws(ArgumentError) -> Transport {
        var choice = AdapterChoice.automatic
        if let text = arguments.value(.adapter) ?? context.environment(AdapterChoice.variable) {
            guard let adapter = AdapterChoice(text) else {
                throw ArgumentError(text: "An adapter has a name such as hci0, or an address, not '\(text)'.")
            }
            choice = adapter
        }
        return context.makeTransport(choice) { [standardLog] in standardLog.write(.debug, LogArea.bluez.remark($0)) }
    }

    /// Throws if Bluetooth cannot be used, unless it is to be waited for.
    func require(_ state: CentralState, _ transport: Transport) async throws(Failure) {
        guard let failure = Failure(state, problem: await transport.problem()) else { return }
        guard arguments.has(.wait) else { throw failure }
        remark("Waiting for Bluetooth. \(failure.message)")
    }

    // MARK: What is answered

    /// Something that has happened: a line for people, or a JSON object.
    func show(_ event: Event) {
        if isJSON {
            if let text = try? JSONLine.text(event) { context.output.print(text) }
        } else if event.isResult {
            context.output.print(event.text.harmless)
        } else {
            remark(event.text)
        }
    }

    /// What a person may want to know; not a result.
    func remark(_ text: String) {
        if !isJSON && !arguments.has(.quiet) { context.output.printError(text.harmless) }
    }

    /// Why the command has failed.
    func complain(_ text: String) { context.output.printError(standardLog.line(.problem, text)) }
}

extension Option {
    static let wait = Option(name: "--wait", summary: "Wait for Bluetooth if it is not available yet.")
    static let raw = Option(name: "--raw", summary: "Pass bytes on as they come, not lines of text.")
    static let seconds = Option(name: "--seconds", value: "S", summary: "End after this many seconds.")
}

extension String {
    /// With spaces for what would command a terminal: names and texts of other devices are shown.
    var harmless: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control && $0 != "\t" ? " " : $0 }))
    }
}
