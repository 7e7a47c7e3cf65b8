import EventLoops
import FlicClient
import FlicProtocol
import FlicSimulator
import GATT

/// An app with its transport and one ``ScriptedClient``; it writes down everything that it hears.
actor ScriptedApp {
    nonisolated let central: SimulatedCentral
    nonisolated var unownedExecutor: UnownedSerialExecutor { central.unownedExecutor }

    private(set) var client: ScriptedClient
    /// Events of the central and of links, with the time in milliseconds.
    private(set) var story: [String] = []
    private(set) var advertisements: [Advertisement] = []
    private var link: LinkID?
    private var isCalling = false

    init(_ central: SimulatedCentral, temporaryID: UInt32 = 1) {
        self.central = central
        client = ScriptedClient(temporaryID)
    }

    init(air: SimulatedAir, temporaryID: UInt32) {
        self.init(SimulatedCentral(air: air), temporaryID: temporaryID)
    }

    /// What was heard since the last call.
    func takeStory() -> [String] {
        defer { story = [] }
        return story
    }

    private func note(_ text: String) {
        let now = central.loop.now
        story.append("\(Int(now / .milliseconds(1))): \(text)\(isCalling ? " INSIDE A CALL" : "")")
    }

    /// Calls the central; handlers must not be called meanwhile.
    private func call<Result: Sendable>(_ body: @Sendable (isolated SimulatedCentral) -> Result) -> Result {
        isCalling = true
        defer { isCalling = false }
        return central.assumeIsolated { body($0) }
    }

    // MARK: Doing

    func start() {
        let handler: @Sendable (CentralEvent) -> Void = { [weak self] event in self?.assumeIsolated { $0.hear(event) } }
        call { $0.start(handler) }
    }

    func discover(_ filter: DiscoveryFilter?) {
        call { $0.discover(filter) }
    }

    func open(_ address: BluetoothAddress, timeout: Duration = .seconds(10), service: BluetoothUUID = FlicGATT.service) {
        let request = LinkRequest(
            address: address,
            service: service,
            notifying: [FlicGATT.fromButton],
            writable: [FlicGATT.toButton],
            timeout: timeout
        )
        client.startOver()
        let handler: @Sendable (LinkEvent) -> Void = { [weak self] event in self?.assumeIsolated { $0.hear(event) } }
        link = call { $0.open(request, handler: handler) }
    }

    func close(_ ending: LinkEnding = .keepingShared) {
        guard let link else { return }
        call { $0.close(link, ending) }
    }

    func send(_ frames: (inout ScriptedClient) -> [[UInt8]]) {
        guard let link else { return }
        for frame in frames(&client) { call { $0.write(frame, to: FlicGATT.toButton, on: link) } }
    }

    func send(_ packet: some Packet) {
        send { $0.frames(packet) }
    }

    /// Opens the link, pairs and asks for events. The button must be public.
    func pair(_ button: SimulatedButton) async {
        open(button.address)
        await wait(.milliseconds(500))
        send { $0.beginFullVerify() }
        await wait(.milliseconds(100))
        send { $0.finishFullVerify() }
        await wait(.milliseconds(100))
        initialize()
        await wait(.milliseconds(100))
    }

    /// Opens the link, verifies the pairing and asks for events.
    func reconnect(_ button: SimulatedButton, count: UInt32 = 0, bootID: UInt32 = 0, limit: UInt8 = 31) async {
        open(button.address)
        await wait(.milliseconds(500))
        send { $0.beginQuickVerify() }
        await wait(.milliseconds(100))
        initialize(count: count, bootID: bootID, limit: limit)
        await wait(.milliseconds(100))
    }

    func initialize(count: UInt32 = 0, bootID: UInt32 = 0, limit: UInt8 = 0) {
        var request = InitButtonEventsLightRequest()
        request.eventCount = count
        request.bootID = bootID
        request.maximumQueued = limit
        request.maximumAge = 0xFFFFF
        request.autoDisconnectTime = 511
        send(request)
    }

    /// Asks the button to come back after a lost link.
    func configureAdvertising(interval: UInt16 = 160) {
        var request = SetAdvParametersRequest()
        request.isActive = 1
        request.withShortRange = 1
        request.firstInterval = interval
        request.laterInterval = interval
        request.timeoutSeconds = 3600
        send(request)
    }

    func wait(_ time: Duration) async {
        await withCheckedContinuation { continuation in
            _ = central.loop.schedule(after: time) { continuation.resume() }
        }
    }

    // MARK: Hearing

    private func hear(_ event: CentralEvent) {
        switch event {
        case .state(let state): note("\(state)")
        case .advertisement(let advertisement): advertisements.append(advertisement)
        case .linkedByOthers: note("connected elsewhere")
        case .resumed: note("resumed")
        }
    }

    private func hear(_ event: LinkEvent) {
        switch event {
        case .connected: note("connected")
        case .ready(let mtu):
            client.mtu = mtu
            note("ready \(mtu)")
        case .value(let frame, _): client.receive(frame)
        case .closed(let error): note("closed \(error.map { "\($0.code)" } ?? "as asked")")
        }
    }

    /// Codes of all events that the client got.
    var codes: [UInt8] { client.packets(ButtonEventNotification.self).flatMap(\.items).map(\.eventCode.rawValue) }
}
