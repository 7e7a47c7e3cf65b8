import EventLoops
import FlicSimulator
import GATT
import Testing

@testable import BlueZ

/// A program in the peripheral's role on the fake's bus, on a loop of its own: publishes, answers, and notes what it is told.
actor PeripheralProgram {
    nonisolated let stage: FakeStage
    nonisolated let loop: DispatchLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    /// What it is told, but for states:
    ///
    ///     connected A
    ///     subscribed 1 A 185
    ///     read 1@22 A
    ///     write 1@0 [1, 2] A
    ///     expired
    ///     nobody 1
    ///     disconnected A
    nonisolated let transcript = FakeTranscript()
    private(set) var peripheral: BlueZPeripheral?
    /// Others may stand on it, too: it outlives the peripheral.
    private let session: BlueZSession
    private let states = FakeTranscript()
    /// What it answers, by characteristic.
    private var answers: [AttributeID: Result<[UInt8], ATTError>] = [:]
    /// What it has not answered.
    private(set) var open: [RequestID] = []
    private var isMute = false

    /// The peripheral is on.
    init(_ stage: FakeStage) async {
        self.stage = stage
        loop = VirtualTime.makeLoop("program")
        session = BlueZSession(bus: stage.bus.address, loop: loop)
        start()
        await states.wait(for: "poweredOn")
    }

    private func start() {
        let peripheral = BlueZPeripheral(session: session)
        self.peripheral = peripheral
        peripheral.assumeIsolated { peripheral in
            peripheral.start { [weak self] event in self?.assumeIsolated { $0.receive(event) } }
        }
    }

    // MARK: What it does

    /// A characteristic whose UUID follows from its number.
    static func characteristic(
        _ number: UInt64,
        _ flags: Set<LocalCharacteristic.Flag>,
        value: [UInt8]? = nil,
        descriptors: [(uuid: BluetoothUUID, value: [UInt8])] = []
    ) -> LocalCharacteristic {
        LocalCharacteristic(id: AttributeID(number), uuid: uuid(number), flags: flags, value: value, descriptors: descriptors)
    }

    static func uuid(_ number: UInt64) -> BluetoothUUID { BluetoothUUID(assigned: 0xFF00 + UInt16(truncatingIfNeeded: number)) }

    static let service = BluetoothUUID(assigned: 0xFFF0)

    /// Publishes a service with these characteristics.
    @discardableResult
    func publish(_ characteristics: LocalCharacteristic...) async throws -> PublicationID {
        guard let peripheral else { throw PeripheralError(.failed) }
        var id: PublicationID?
        let error = await withCheckedContinuation { continuation in
            id = peripheral.assumeIsolated { peripheral in
                peripheral.publish([LocalService(uuid: Self.service, characteristics: characteristics)]) { continuation.resume(returning: $0) }
            }
        }
        if let error { throw error }
        return try #require(id)
    }

    /// Advertises nothing but its presence.
    func advertise() async throws {
        guard let peripheral else { throw PeripheralError(.failed) }
        let error = await withCheckedContinuation { continuation in
            peripheral.assumeIsolated { peripheral in
                _ = peripheral.advertise(LocalAdvertisement()) { continuation.resume(returning: $0) }
            }
        }
        if let error { throw error }
    }

    func unpublish(_ id: PublicationID) { peripheral?.assumeIsolated { $0.unpublish(id) } }

    /// What reads and writes of a characteristic are answered with: reads from their offsets on.
    func setAnswer(_ answer: Result<[UInt8], ATTError>, to number: UInt64) { answers[AttributeID(number)] = answer }

    /// Whether requests stay open.
    func setMute(_ isMute: Bool) { self.isMute = isMute }

    func respond(to request: RequestID, with answer: Result<[UInt8], ATTError>) {
        peripheral?.assumeIsolated { $0.respond(to: request, with: answer) }
    }

    func update(_ value: [UInt8], of number: UInt64) { peripheral?.assumeIsolated { $0.update(value, of: AttributeID(number)) } }

    /// Lets the peripheral go.
    func drop() { peripheral = nil }

    /// Returns when everything that bluetoothd has said so far has been heard, and all updates have been taken.
    func settle() async {
        await withCheckedContinuation { continuation in
            guard let peripheral else { return continuation.resume() }
            peripheral.assumeIsolated { $0.flushUpdates { continuation.resume() } }
        }
    }

    /// What it was told since the last call, once everything has been heard.
    func told() async -> [String] {
        await settle()
        return transcript.take()
    }

    /// The objects of the subscribers, sorted, as far as the peripheral knows.
    func subscribers(of number: UInt64) -> [String] {
        peripheral?.assumeIsolated { $0.served[AttributeID(number)]?.subscribers.keys.sorted() } ?? []
    }

    // MARK: What it is told

    private func receive(_ event: PeripheralEvent) {
        switch event {
        case .state(let state): states.note("\(state)")
        case .read(let request, let id, let offset, let central):
            transcript.note("read \(Self.number(id))@\(offset) \(Self.name(central.address))")
            answer(request, id, offset: offset)
        case .write(let request, let id, let value, let offset, let central):
            transcript.note("write \(Self.number(id))@\(offset) \(value) \(Self.name(central.address))")
            answer(request, id, offset: 0)
        case .expired: transcript.note("expired")
        case .subscribed(let id, let central): transcript.note("subscribed \(Self.number(id)) \(Self.name(central.address)) \(central.mtu)")
        case .allUnsubscribed(let id): transcript.note("nobody \(Self.number(id))")
        case .connected(let address): transcript.note("connected \(Self.name(address))")
        case .disconnected(let address): transcript.note("disconnected \(Self.name(address))")
        }
    }

    private func answer(_ request: RequestID, _ id: AttributeID, offset: Int) {
        guard !isMute else { return open.append(request) }
        let answer = (answers[id] ?? .success([])).flatMap { value -> Result<[UInt8], ATTError> in
            offset > value.count ? .failure(.invalidOffset) : .success(Array(value.dropFirst(offset)))
        }
        respond(to: request, with: answer)
    }

    private static func number(_ id: AttributeID) -> UInt64 { (0...99).first { AttributeID($0) == id } ?? 100 }

    private static func name(_ address: BluetoothAddress) -> String { String(address.value, radix: 16, uppercase: true) }
}

extension FakeBlueZ {
    /// A central with an address of one digit, connected.
    func phone(_ digit: UInt64, mtu: Int = 185, isBonded: Bool = false) async -> FakeCentral {
        let phone = addCentral(BluetoothAddress(kind: .random, value: digit), mtu: mtu, isBonded: isBonded)
        await phone.connect()
        return phone
    }

    /// What programs were asked since a line of the journal, without the roots of their objects.
    func asked(since line: Int = 0) -> [String] {
        journal.dropFirst(line).filter { $0.hasPrefix("ask Gatt") }.map { line in
            let words = line.split(separator: " ")
            let method = words[1].split(separator: ".").last ?? ""
            return "\(method) \(words[2].split(separator: "/").last ?? "")"
        }
    }
}
