import EventLoops
import GATT

/// The wish for a connection, and how far it is: what a ``UARTClient`` does next.
///
/// ```
/// idle ──wish, power──▶ searching ──found──▶ connecting ──ready──▶ connected
///   ▲                       ▲                    │                     │
///   │                       └──── pausing ◀── failed                   │
///   └── no wish, no power ──┴───────────────── closed ◀─── closing ◀───┘
/// ```
///
/// A wish that has been fulfilled goes on after the end of its link if ``keepsConnected``; one that has not goes on in any case (contract C31, C32).
struct UARTSearch {
    /// What is to be done.
    enum Action: Equatable {
        /// Listen for devices with the service. Those that others are connected to are not heard: look there as well.
        case listen
        case stopListening
        case open(BluetoothAddress)
        case close
        /// Call ``pauseIsOver(_:)`` with this number after this time.
        case pause(Duration, Int)
        /// The state that is shown has changed.
        case tell(State)
    }

    /// What is shown.
    enum State: Equatable {
        case idle
        case searching
        case connected
    }

    private enum Phase: Equatable {
        case idle
        case searching
        case pausing
        case connecting
        case connected
        case closing
    }

    private struct Wish {
        var choice: UARTChoice
        /// Somebody has asked for it, and has not got it yet.
        var isPending: Bool
    }

    /// Between a failure and the next search.
    static let pause: ClosedRange<Duration> = .seconds(1)...(.seconds(30))

    /// Whether another link follows one that has ended.
    var keepsConnected = true

    private var phase = Phase.idle
    private var wish: Wish?
    private var lastChoice = UARTChoice.any
    private var isPowered = false
    private var failures = 0
    private var pauseNumber = 0
    private var told = State.idle

    /// Whether what is heard is of interest.
    var isSearching: Bool { phase == .searching }

    /// What is searched for.
    var choice: UARTChoice { wish?.choice ?? lastChoice }

    // MARK: Wishes

    /// Somebody asks for a connection. Without effect while there is one (contract C35).
    mutating func connect(_ choice: UARTChoice) -> [Action] {
        guard phase != .connected else { return [] }
        let isOther = choice != wish?.choice
        wish = Wish(choice: choice, isPending: true)
        lastChoice = choice
        switch phase {
        case .connecting where isOther:
            phase = .closing
            return [.close]
        case .searching where isOther:
            return [.listen]  // what has been heard already may be meant now
        case .pausing, .idle: return begin()
        case .searching, .connecting, .connected, .closing: return []
        }
    }

    /// The last search begins again, if nothing is wished for: by itself, not because somebody asks.
    mutating func resume() -> [Action] {
        guard wish == nil else { return [] }
        wish = Wish(choice: lastChoice, isPending: false)
        return phase == .idle ? begin() : []
    }

    /// Nothing is wished for any more; what was is forgotten.
    mutating func disconnect() -> [Action] {
        wish = nil
        lastChoice = .any
        return hangUp()
    }

    /// The link, or the search, ends; a wish stays.
    mutating func hangUp() -> [Action] {
        switch phase {
        case .connecting, .connected:
            phase = .closing
            return [.close]
        case .searching, .pausing: return wish == nil ? rest() : []
        case .idle, .closing: return []
        }
    }

    // MARK: What happens

    mutating func power(_ isOn: Bool) -> [Action] {
        guard isOn != isPowered else { return [] }
        isPowered = isOn
        failures = 0
        if phase == .idle { dropIfFulfilled() }
        switch phase {
        case .idle where isOn: return begin()
        case .searching, .pausing: return isOn ? [] : rest()
        case .idle, .connecting, .connected, .closing: return []  // the transport ends what it has
        }
    }

    /// A device that is meant is there.
    mutating func found(_ address: BluetoothAddress) -> [Action] {
        guard phase == .searching else { return [] }
        phase = .connecting
        return [.stopListening, .open(address)]
    }

    /// The link can be used.
    mutating func ready() -> [Action] {
        guard phase == .connecting else { return [] }
        phase = .connected
        wish?.isPending = false
        failures = 0
        return tell(.connected)
    }

    /// The link is gone, or was never made.
    ///
    /// - Parameter wasInVain: It has shown that the device is none of those that are searched for: the search goes on at once.
    mutating func closed(wasInVain: Bool = false) -> [Action] {
        let former = phase
        phase = .idle
        dropIfFulfilled()
        guard wish != nil, isPowered else { return tell(.idle) }
        guard former == .connecting, !wasInVain else { return (former == .connected ? tell(.idle) : []) + begin() }
        failures += 1
        phase = .pausing
        pauseNumber += 1
        return [.pause(Self.pause.backOff(after: failures), pauseNumber)]
    }

    mutating func pauseIsOver(_ number: Int) -> [Action] {
        phase == .pausing && number == pauseNumber ? begin() : []
    }

    // MARK: Steps

    /// A wish that nobody waits for ends with its link, unless links are to be kept.
    private mutating func dropIfFulfilled() {
        if !keepsConnected, wish?.isPending == false { wish = nil }
    }

    private mutating func begin() -> [Action] {
        guard wish != nil, isPowered else { return [] }
        phase = .searching
        return tell(.searching) + [.listen]
    }

    private mutating func rest() -> [Action] {
        let wasListening = phase == .searching
        phase = .idle
        return (wasListening ? [.stopListening] : []) + tell(.idle)
    }

    private mutating func tell(_ state: State) -> [Action] {
        guard state != told else { return [] }
        told = state
        return [.tell(state)]
    }
}
