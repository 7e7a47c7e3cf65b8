import BlueZ
import Commands

/// The two adapters with which a measurement is made on the air: one reaches the button, the other one is it.
struct AdapterPair {
    private static let adapter = Option(name: "--adapter", value: "NAME|ADDRESS", summary: "Reach the button with this Bluetooth adapter.")
    private static let other = Option(name: "--button", value: "NAME|ADDRESS", summary: "Make this other adapter the button.")
    static let options = [adapter, other]

    let adapter: AdapterChoice
    let button: AdapterChoice

    /// - Returns: nil if neither was asked for.
    /// - Throws: If only one was, or one is no adapter.
    init?(_ arguments: ParsedArguments) throws(ArgumentError) {
        switch (try Self.choice(Self.adapter, arguments), try Self.choice(Self.other, arguments)) {
        case (nil, nil): return nil
        case (let adapter?, let button?): (self.adapter, self.button) = (adapter, button)
        default: throw ArgumentError(text: "The options '--adapter' and '--button' need each other.")
        }
    }

    private static func choice(_ option: Option, _ arguments: ParsedArguments) throws(ArgumentError) -> AdapterChoice? {
        guard let text = arguments.value(option) else { return nil }
        guard let choice = AdapterChoice(text) else {
            throw ArgumentError(text: "An adapter has a name such as hci0, or an address, not '\(text)'.")
        }
        return choice
    }
}
