import FlicClient

/// What can be done to a simulated button: typed as a line, or as a single key at a terminal.
enum SimulateInput: Equatable {
    /// The number is that of the button: 1 is the small one of a Flic Duo.
    case press(Int)
    case release(Int)
    /// Presses the button, or lets it go if it is down.
    case toggle
    case click(Int)
    case double(Int)
    case hold(Int)
    case swipe(PressEvent.Gesture, Int)
    /// In whole turns.
    case turn(Double)
    /// Of a Flic Twist.
    case mode(Int)
    case `public`
    case reboot
    /// In volts.
    case battery(Double)
    case name(String)
    /// In seconds.
    case wait(Double)
    case help
    case quit

    /// Why a line or key means nothing.
    struct Mistake: Error, Equatable {
        let text: String
    }

    /// nil for an empty line.
    init?(line: String) throws(Mistake) {
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true).map(String.init)
        guard let word = words.first else { return nil }
        let end = words.count > 1 ? String(words[1].drop { $0 == " " }) : ""
        let rest = end.isEmpty ? nil : end
        switch (word, rest) {
        case ("press", let number): self = .press(try Self.button(number))
        case ("release", let number): self = .release(try Self.button(number))
        case ("click", let number): self = .click(try Self.button(number))
        case ("double", let number): self = .double(try Self.button(number))
        case ("hold", let number): self = .hold(try Self.button(number))
        case ("swipe", let rest):
            let words = (rest ?? "").split(separator: " ").map(String.init)
            guard let gesture = words.first.flatMap({ PressEvent.Gesture(rawValue: $0) }), words.count <= 2 else {
                throw Mistake(text: "'swipe' needs a direction: \(PressEvent.Gesture.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            self = .swipe(gesture, try Self.button(words.count > 1 ? words[1] : nil))
        case ("turn", let rest):
            guard let turns = rest.flatMap(Double.init), (-100...100).contains(turns) else {
                throw Mistake(text: "'turn' needs a number of turns from -100 to 100.")
            }
            self = .turn(turns)
        case ("mode", let rest):
            guard let mode = rest.flatMap({ Int($0) }), (0..<TwistConfiguration.modeCount).contains(mode) else {
                throw Mistake(text: "'mode' needs the number of a mode, 0 to \(TwistConfiguration.modeCount - 1).")
            }
            self = .mode(mode)
        case ("public", nil): self = .public
        case ("reboot", nil): self = .reboot
        case ("battery", let rest?):
            guard let volts = Double(rest), (0...3.6).contains(volts) else {
                throw Mistake(text: "'battery' needs a voltage from 0 to 3.6, not '\(rest)'.")
            }
            self = .battery(volts)
        case ("battery", nil): throw Mistake(text: "'battery' needs a voltage from 0 to 3.6.")
        case ("name", let rest): self = .name(rest ?? "")
        case ("wait", let rest):
            guard let seconds = rest.flatMap(Double.init), (0...86_400).contains(seconds) else {
                throw Mistake(text: "'wait' needs a number of seconds.")
            }
            self = .wait(seconds)
        case ("help", nil): self = .help
        case ("quit", nil): self = .quit
        default: throw Mistake(text: "'\(line)' is not understood; 'help' shows what is.")
        }
    }

    private static func button(_ text: String?) throws(Mistake) -> Int {
        guard let text else { return 0 }
        guard let number = Int(text), (0...1).contains(number) else {
            throw Mistake(text: "A button has the number 0, or 1 for the small one of a Flic Duo, not '\(text)'.")
        }
        return number
    }

    init(key: Character) throws(Mistake) {
        guard let input = Self.keys.first(where: { $0.key == key })?.input else {
            throw Mistake(text: "There is no key \(key.debugDescription); '?' shows those that there are.")
        }
        self = input
    }

    private static let keys: [(key: Character, name: String, input: Self, meaning: String)] = [
        (" ", "SPACE", .toggle, "press, or let go"),
        ("c", "c", .click(0), "click"),
        ("d", "d", .double(0), "double click"),
        ("h", "h", .hold(0), "hold for one and a half seconds"),
        ("p", "p", .public, "pairing mode"),
        ("r", "r", .reboot, "take the battery out and put it back"),
        ("?", "?", .help, "help"),
        ("q", "q", .quit, "quit"),
    ]

    static let keyHelp = keys.map { "  \($0.name.padded(to: 5))  \($0.meaning)" }.joined(separator: "\n")

    static let lineHelp = """
          press, release    push the button down, let it go
          click, double     one click, two in quick succession
          hold              press for one and a half seconds
                            Each of these may be followed by 1 for the small button of a Flic Duo, swipes as well.
          swipe WAY         press and move: left, right, up, down, unrecognized (a Flic Duo)
          turn N            turn by so many turns (a Flic Twist, or a Flic Duo while a button is held)
          mode N            select a mode, 0 to 12 (a Flic Twist)
          public            pairing mode, for half a minute
          reboot            take the battery out and put it back
          battery V         set the battery voltage
          name TEXT         rename the button, as another app would
          wait S            do nothing for that many seconds
          help, quit
        """
}
