import BlueZ
import FlicBridge
import FoundationEssentials

/// `flic doctor`: what keeps buttons from working.
///
/// JSON, one document: ``DoctorReport``.
enum DoctorCommand {
    private static let timeout = Option(name: "--timeout", value: "S", summary: "Listen for buttons for this many seconds at most (15).")

    static let command = Command(
        name: "doctor",
        summary: "Find out what keeps buttons from working.",
        discussion: """
            Looks at all that buttons stand on, from the adapter and the Bluetooth service to the paired buttons, and says for each
            check what is found, and below it what can be done. Then it listens for the buttons: press them meanwhile, for a button at
            rest is silent. It pairs, connects and changes nothing, and works while another command is using the buttons; like every
            command it lets the system start the Bluetooth service if that is not running.

            Marks: ✓ as it should be, ! worth knowing, ✗ keeps buttons from working, – not looked at, and why. The exit code is 0
            without a ✗, else the one that other commands would have for the first.

            With --json: one object with the members findings and exitCode. Each finding has the members check (hardware, blocking,
            bus, service, confinement, adapter, version, power, links, store, radio, pairing, reach or battery), severity (ok, note,
            problem or skipped), id (one word for what is found, such as poweredOff; ok or skipped else), message, cure where there is
            one, and for a button also button (serial number) and name.
            """,
        operand: .button(0...1),
        options: [timeout],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let time = try invocation.arguments.seconds(timeout) ?? .seconds(15)
        let request = invocation.transportRequest
        let examiner = invocation.context.examiner
        var facts = DoctorFacts(store: .failure(PairingStoreError(.failed, "")), date: invocation.context.date())
        facts.adapter = request.adapter
        facts.busAddress = invocation.context.environment("DBUS_SYSTEM_BUS_ADDRESS").flatMap { $0.isEmpty ? nil : $0 }
        facts.system = examiner.system()
        let hasHardware = if case .adapters(let names) = facts.system.kernel { !names.isEmpty } else { false }
        facts.bluetooth = try await examiner.bluetooth(request, hasHardware)
        facts.store = await storeFacts(invocation)
        try Task.checkCancellation()

        var findings: [Finding] = []
        func tell(_ new: [Finding]) {
            findings += new
            guard !invocation.isJSON else { return }
            for finding in new where !invocation.arguments.has(.quiet) || finding.severity != .ok {
                for line in DoctorReport.lines(finding, invocation.context.output) { invocation.print(line) }
            }
        }
        tell(facts.bluetoothFindings)
        tell(facts.storeFindings)

        do throws(Failure) {
            facts.buttons = try await chosenButtons(facts.store, invocation)
            if facts.buttons.isEmpty, findings.failure(among: [.store]) != nil { tell([.skipped(.pairing, without: .store)]) }
        } catch {
            tell([.problem(.pairing, error.code, error.reason, error.message, cure: "'flic list' shows the buttons that are paired.")])
        }
        let ground = findings.failure(among: [.blocking] + DoctorFacts.bluetoothChecks)
        if ground == nil, !facts.audibleButtons.isEmpty { try await listen(for: time, request, invocation, &facts) }
        tell(facts.buttonFindings(without: ground))

        if invocation.isJSON { try invocation.printJSON(DoctorReport(findings)) } else { invocation.print(DoctorReport.summary(findings)) }
        if findings.exitCode != .done { throw Verdict(code: findings.exitCode) }
    }

    private static func storeFacts(_ invocation: Invocation) async -> Result<StoreFacts, PairingStoreError> {
        let directory = invocation.arguments.value(.store).map { URL(filePath: $0, directoryHint: .isDirectory) }
        do throws(PairingStoreError) {
            return .success(try await invocation.context.examiner.store(directory))
        } catch {
            return .failure(error)
        }
    }

    /// The one that is named, or all; none if the store is of no use.
    private static func chosenButtons(
        _ store: Result<StoreFacts, PairingStoreError>,
        _ invocation: Invocation
    ) async throws(Failure) -> [ButtonInfo] {
        guard case .success(let facts) = store, !facts.records.isEmpty || facts.contents == .none else { return [] }
        guard !facts.records.isEmpty || !invocation.arguments.operands.isEmpty else { return [] }
        return try await invocation.chosenButtons(in: facts.records)
    }

    /// Adds what is heard, and looks at Bluetooth once more: it may have changed meanwhile.
    private static func listen(for time: Duration, _ request: TransportRequest, _ invocation: Invocation, _ facts: inout DoctorFacts) async throws {
        let buttons = facts.audibleButtons
        let names = buttons.map(\.title.printable).joined(separator: ", ")
        let seconds = Int((time / .seconds(1)).rounded(.up))
        invocation.remark("Listening for \(names), \(seconds) s at most. Press the buttons meanwhile: at rest they are silent.")
        let transport = try await invocation.context.makeTransport(request)
        let titles = Dictionary(buttons.map { ($0.address, $0.title.printable) }) { first, _ in first }
        var bluetooth = facts.bluetooth
        facts.hearing = try await DoctorListening(central: transport.central, time: time).hear(Set(titles.keys)) { address in
            invocation.remark("Heard \(titles[address] ?? "\(address)").")
        } atEnd: {
            bluetooth = try await invocation.context.examiner.bluetooth(request, false)
        }
        facts.bluetooth = bluetooth
    }
}
