/// What a remark is about.
///
/// The library's remarks begin with their area and, where they are about a button, its serial number:
/// `session BC00-A00001: no link: timeout`. Pairing keys and session keys are in none.
public enum LogArea: String, Hashable, Sendable, CaseIterable {
    /// The system's Bluetooth service.
    case bluez
    /// Links and sessions with buttons, and what is told of them.
    case session
    /// Services that are published, advertising, and requests of centrals.
    case peripheral
    /// The Nordic UART Service.
    case uart
    /// A broker, and what it is told of the buttons.
    case mqtt
    /// The file of pairings.
    case store
    /// The daemon's beginning, its configuration and its end.
    case daemon
    /// The daemon's socket and its clients.
    case socket
    /// The daemon's rules and the programs that they run.
    case rules
    /// The recording of traces.
    case trace

    /// A remark about this area, in the form that filters know.
    ///
    /// - Parameters:
    ///   - text: Is told as one line.
    ///   - button: Serial number.
    public func remark(_ text: String, of button: String? = nil) -> String {
        "\(rawValue)\(button.map { " \($0)" } ?? ""): \(text)"
    }

    /// The area of a remark; nil if it is not of the library.
    init?(of remark: some StringProtocol) {
        self.init(rawValue: String(remark.prefix { $0.isLetter }))
    }
}
