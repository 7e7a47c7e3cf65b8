public import GATT

/// What happens to Bluetooth on real computers, drawn at random: spells of trouble for a ``FakeBlueZ``. Equal seeds draw alike.
///
/// ```swift
/// var weather = Weather(seed: 7)
/// try await fake.endure(weather.next(buttons: addresses), bus: bus, clock: clock)
/// ```
public struct Weather: Sendable {
    /// A kind of trouble. Those that concern one button say so.
    public enum Kind: String, CaseIterable, Sendable {
        /// bluetoothd dies and is started again.
        case crash
        /// bluetoothd hangs, and goes on.
        case hang
        /// bluetoothd hangs until it is killed and started again.
        case hangAndCrash
        /// The bus ends, and bluetoothd with it; both are started again.
        case busLoss
        /// Somebody switches the adapter off and on.
        case powerOff
        /// Somebody blocks the adapter (rfkill) and unblocks it.
        case block
        /// The adapter is unplugged and plugged in again.
        case unplug
        /// The adapter is unplugged and comes back under another number.
        case renumber
        /// Another adapter takes the place, with another number and address.
        case exchange
        /// Another program has bluetoothd forget a button (RemoveDevice).
        case removal
        /// The link to a button is lost.
        case linkLoss
        /// A button is out of range.
        case absence
        /// The machine is suspended: links are lost, the clock goes on, timers come late.
        case suspend
        /// Links to a button come up, are lost again, and Connect fails (hbldh/bleak#993).
        case flaps
        /// Calls are answered InProgress.
        case busy
        /// Calls are not answered.
        case silence
        /// Calls are answered late.
        case lateness
        /// The objects of a button's service vanish, and come back with the next link.
        case vanishing
        /// The link to a button is lost and bluetoothd does not notice.
        case phantom
        /// The services of a button move to other handles.
        case moving
        /// Signals are late.
        case lateSignals
        /// Signals come twice.
        case doubledSignals
    }

    /// Some trouble for some time.
    public struct Spell: Sendable, CustomStringConvertible {
        /// What it is.
        public let kind: Kind
        /// How long it lasts.
        public let span: Duration
        /// Whom it concerns, if it is about one button.
        public let button: BluetoothAddress
        /// The method that goes wrong, if it is about one.
        let method: String

        /// For people.
        public var description: String {
            let isAboutMethod = [.busy, .silence, .lateness].contains(kind)
            return "\(kind.rawValue) for \(span), \(isAboutMethod ? method + ", " : "")\(button)"
        }
    }

    private static let spans: [Duration] = [
        .milliseconds(10), .milliseconds(300), .seconds(2), .seconds(7), .seconds(20), .seconds(45), .seconds(150),
    ]
    /// Not WriteValue: bluetoothd loses no values on a link that lives.
    private static let methods = [
        "Device1.Connect", "Device1.Disconnect", "GattCharacteristic1.StartNotify", "GattCharacteristic1.StopNotify", "Adapter1.SetDiscoveryFilter",
        "Adapter1.StartDiscovery", "Adapter1.StopDiscovery", "ObjectManager.GetManagedObjects",
    ]
    /// Those that can be in progress.
    private static let busyMethods = ["Device1.Connect", "Adapter1.StartDiscovery"]

    private var generator: SeededGenerator

    /// Weather that follows from a seed.
    public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// The next spell.
    ///
    /// - Parameters:
    ///   - buttons: Those that it may concern; one at least.
    ///   - kinds: What it may be.
    public mutating func next(buttons: [BluetoothAddress], kinds: [Kind] = Kind.allCases) -> Spell {
        let kind = draw(kinds)
        let span = draw(Self.spans)
        return Spell(kind: kind, span: span, button: draw(buttons), method: draw(kind == .busy ? Self.busyMethods : Self.methods))
    }

    private mutating func draw<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }
}
