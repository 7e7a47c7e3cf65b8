import FlicProtocol
import FlicSimulator

/// A button's firmware on a bench with its clients: what it sends reaches them at once.
struct Bench {
    var firmware: ButtonFirmware
    var clients: [ScriptedClient]
    /// Everything but the frames.
    private(set) var actions: [ButtonFirmware.Action] = []
    private(set) var frames: [[UInt8]] = []
    /// Time passed that is less than a tick.
    private var remainder = Duration.zero

    init(seed: UInt64 = 1, clients: Int = 1, settings: ButtonSettings = ButtonSettings(), faults: Faults = Faults()) {
        firmware = ButtonFirmware(
            identity: .make(seed: seed),
            settings: settings,
            faults: faults,
            generator: SeededGenerator(seed: seed)
        )
        self.clients = (0..<clients).map { ScriptedClient(UInt32(1000 + $0)) }
    }

    /// A button with a link and clients that have paired with it; no session is initialized.
    static func paired(clients: Int = 1, settings: ButtonSettings = ButtonSettings()) -> Bench {
        var bench = Bench(clients: clients, settings: settings)
        bench.connect()
        bench { $0.enterPublicMode(at: $1) }
        for index in 0..<clients { bench.pair(index) }
        return bench
    }

    /// The same with sessions that get events.
    static func running(clients: Int = 1, settings: ButtonSettings = ButtonSettings()) -> Bench {
        var bench = paired(clients: clients, settings: settings)
        for index in 0..<clients { bench.initialize(index) }
        return bench
    }

    /// Gives the firmware an input at the present time.
    mutating func callAsFunction(_ input: (inout ButtonFirmware, UInt64) -> [ButtonFirmware.Action]) {
        for action in input(&firmware, firmware.clock) {
            guard case .send(let frame) = action else {
                actions.append(action)
                continue
            }
            frames.append(frame)
            for index in clients.indices { clients[index].receive(frame) }
        }
    }

    mutating func send(_ frames: [[UInt8]]) {
        for frame in frames { self { $0.receive(frame, at: $1) } }
    }

    mutating func send(_ packet: some Packet, from index: Int = 0) {
        send(clients[index].frames(packet))
    }

    mutating func pass(_ time: Duration) {
        let ticks = (time + remainder).ticks
        remainder += time - Duration(ticks: ticks)
        self { $0.advance(to: $1 + ticks) }
    }

    /// A press of the given length.
    mutating func click(_ length: Duration = .milliseconds(100)) {
        self { $0.press(at: $1) }
        pass(length)
        self { $0.release(at: $1) }
    }

    mutating func connect(mtu: Int = 140) {
        self { $0.linkUp(mtu: mtu, at: $1) }
        for index in clients.indices {
            clients[index].startOver()
            clients[index].mtu = mtu
        }
    }

    mutating func disconnect(_ end: ButtonFirmware.LinkEnd) {
        self { $0.linkLost(end, at: $1) }
    }

    mutating func pair(_ index: Int = 0) {
        send(clients[index].beginFullVerify())
        send(clients[index].finishFullVerify())
    }

    mutating func reconnect(_ index: Int = 0) {
        send(clients[index].beginQuickVerify())
    }

    mutating func initialize(_ index: Int = 0, count: UInt32 = 0, bootID: UInt32 = 0, limit: UInt8 = 0, age: UInt32 = 0xFFFFF, idle: UInt16 = 511) {
        var request = InitButtonEventsLightRequest()
        request.eventCount = count
        request.bootID = bootID
        request.maximumQueued = limit
        request.maximumAge = age
        request.autoDisconnectTime = idle
        send(request, from: index)
    }

    /// Codes of all events that a client got.
    func codes(_ index: Int = 0) -> [UInt8] { items(index).map(\.eventCode.rawValue) }

    func items(_ index: Int = 0) -> [EventItem] { clients[index].packets(ButtonEventNotification.self).flatMap(\.items) }

    mutating func clearActions() { actions = [] }
}
