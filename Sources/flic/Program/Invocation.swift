import FlicBridge
import FlicSimulator
import FoundationEssentials

/// One call of the program: what was asked for, and the world in which it was.
struct Invocation: Sendable {
    let arguments: ParsedArguments
    let context: ProgramContext
    private let standardLog: StandardLog

    init(arguments: ParsedArguments, context: ProgramContext) {
        self.arguments = arguments
        self.context = context
        standardLog = StandardLog(
            program: "flic",
            arguments: arguments,
            loop: context.loop,
            environment: context.environment,
            output: context.output
        )
    }

    /// The same call with what a configuration says in place of options that were not given.
    init(_ invocation: Invocation, usual configuration: Configuration) {
        var arguments = invocation.arguments
        arguments.setUsual(.adapter, to: configuration.adapter)
        arguments.setUsual(.store, to: configuration.store)
        self.init(arguments: arguments, context: invocation.context)
    }

    var loop: any EventLoop { context.loop }

    // MARK: What was asked for

    var isJSON: Bool { arguments.has(.json) }

    /// The root of trust in place of the vendor's; nil if the vendor's is to be trusted.
    func testRoot() throws(ArgumentTable.UsageError) -> [UInt8]? {
        guard let text = arguments.value(.trustTestRoot) else { return nil }
        if text == "published" { return TestRoot.publicKey }
        guard let root = Hexadecimal.bytes(text), root.count == 32 else {
            throw ArgumentTable.UsageError(
                text: "The option '\(Option.trustTestRoot.name)' needs 64 hexadecimal digits or 'published', not '\(text)'."
            )
        }
        return root
    }

    /// The paired buttons, still untouched.
    func store() throws -> any PairingStore {
        try context.makeStore(arguments.value(.store).map { URL(filePath: $0, directoryHint: .isDirectory) }, log)
    }

    var transportRequest: TransportRequest { TransportRequest(loop: loop, adapter: arguments.value(.adapter), log: log) }

    // MARK: What is answered

    /// A result.
    func print(_ text: String) { context.output.print(text) }

    /// Results as a table.
    func print(rows: [[String]]) {
        let columns = rows.first?.indices ?? 0..<0
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let text = zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
            print(String(text.reversed().drop { $0 == " " }.reversed()))
        }
    }

    /// A result as JSON.
    func printJSON(_ value: some Encodable) throws { context.output.print(try JSONLine.text(value)) }

    /// What a person may want to know; not a result.
    func remark(_ text: String) {
        if !isJSON && !arguments.has(.quiet) { context.output.printError(text) }
    }

    /// Why the command has failed.
    func complain(_ text: String) { context.output.printError(standardLog.line(.problem, text)) }

    /// Whether the log shows what is of this level and about this.
    @Sendable
    func shows(_ level: LogLevel, _ area: LogArea) -> Bool { standardLog.shows(level, area) }

    /// What the library remarks: with `-v` everything, with `--quiet` nothing, else as `FLICKIT_LOG` says.
    @Sendable
    func log(_ level: LogLevel, _ text: String) { standardLog.write(level, text) }
}
