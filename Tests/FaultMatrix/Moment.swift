/// What an application and its button are doing when a fault comes.
enum Moment: String, CaseIterable {
    /// The application waits; the button is silent and not pressed.
    case idle
    /// The same, while the adapter discovers.
    case scanning
    /// A link has been made, and nothing has been found out on it.
    case connecting
    /// The application has asked the button who it is, and has no answer.
    case verifying
    /// The button is ready and not pressed.
    case ready
    /// The button is held down.
    case press

    var hasLink: Bool {
        switch self {
        case .idle, .scanning: false
        case .connecting, .verifying, .ready, .press: true
        }
    }

    /// Whether the button is ready before.
    var isReady: Bool { self == .ready || self == .press }
}
