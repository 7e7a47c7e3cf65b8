import FlicBridge

/// What a check of `doctor` has come to.
struct Finding: Sendable, Equatable {
    /// The checks, from the ground up.
    enum Check: String, Sendable, CaseIterable {
        case hardware, blocking, bus, service, confinement, adapter, version, power, links, store, radio, pairing, reach, battery
    }

    enum Severity: Sendable, Equatable {
        case ok
        /// Worth knowing, but buttons can work.
        case note
        /// Keeps buttons from working. A program that can do nothing else would end with this code.
        case problem(ExitCode)
        /// Something that it stands on is missing.
        case skipped
    }

    let check: Check
    let severity: Severity
    /// One word for programs, the same in all versions.
    let id: String
    /// What is found.
    let sentence: String
    /// What can be done about it.
    var cure: String?
    /// The button that it is about.
    var button: ButtonInfo?

    static func ok(_ check: Check, _ sentence: String) -> Finding {
        Finding(check: check, severity: .ok, id: "ok", sentence: sentence)
    }

    static func note(_ check: Check, _ id: String, _ sentence: String, cure: String? = nil) -> Finding {
        Finding(check: check, severity: .note, id: id, sentence: sentence, cure: cure)
    }

    static func problem(_ check: Check, _ code: ExitCode, _ id: String, _ sentence: String, cure: String) -> Finding {
        Finding(check: check, severity: .problem(code), id: id, sentence: sentence, cure: cure)
    }

    /// - Parameter ground: The check without which this one means nothing.
    static func skipped(_ check: Check, without ground: Check) -> Finding {
        let reason =
            switch ground {
            case .blocking: "Bluetooth is blocked"
            case .bus: "the system bus cannot be used"
            case .service: "bluetoothd cannot be used"
            case .adapter: "there is no adapter to use"
            case .version: "bluetoothd is too old"
            case .power: "the adapter is not on"
            case .store: "the paired buttons are not known"
            case .pairing: "its pairing is void"
            case .radio: "nothing could be listened for"
            case .hardware, .confinement, .links, .reach, .battery: "\(ground.rawValue) is not as it should be"
            }
        return Finding(check: check, severity: .skipped, id: "skipped", sentence: "Not looked at, because \(reason).")
    }

    /// The exit code, if it is a problem.
    var code: ExitCode? {
        if case .problem(let code) = severity { code } else { nil }
    }

    func about(_ button: ButtonInfo) -> Finding {
        var finding = self
        finding.button = button
        return finding
    }
}

extension [Finding] {
    /// That of the first problem.
    var exitCode: ExitCode { lazy.compactMap(\.code).first ?? .done }

    /// The first check of these that has found a problem.
    func failure(among checks: [Finding.Check]) -> Finding.Check? { first { $0.code != nil && checks.contains($0.check) }?.check }
}

extension String {
    /// For a line on a terminal: nothing in it can move the cursor.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.filter { ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory) }
            )
        )
    }
}
