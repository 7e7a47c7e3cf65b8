package import FlicProtocol

/// What a session was asked.
package struct TraceCall: Codable, Equatable, Sendable {
    package enum Name: String, Codable, Sendable {
        case start, receive, tick, probe, rename, setConnectionParameters, setAutoDisconnectTime, setAdvertising, setPushTwist, setTwist,
            setTwistPosition, updateFirmware,
            abortFirmwareUpdate, close
    }

    package var name: Name
    package var beginning: TraceBeginning?
    package var rename: TraceRename?
    package var parameters: SessionSettings.ConnectionParameters?
    package var seconds: UInt16?
    package var advertising: SessionSettings.Advertising?
    package var buttons: DuoButtons?
    package var twist: TraceTwist?
    package var position: UInt16?
    package var mode: UInt8?
    package var firmware: TraceFirmware?

    init(_ call: HostSession.Call, _ names: NameMask) {
        switch call {
        case .start(let beginning):
            name = .start
            self.beginning = TraceBeginning(beginning, names)
        case .receive: name = .receive
        case .tick: name = .tick
        case .probe: name = .probe
        case .rename(let rename):
            name = .rename
            self.rename = TraceRename(rename, names)
        case .setConnectionParameters(let parameters):
            name = .setConnectionParameters
            self.parameters = parameters
        case .setAutoDisconnectTime(let seconds):
            name = .setAutoDisconnectTime
            self.seconds = seconds
        case .setAdvertising(let advertising):
            name = .setAdvertising
            self.advertising = advertising
        case .setPushTwist(let buttons):
            name = .setPushTwist
            self.buttons = buttons
        case .setTwist(let configuration):
            name = .setTwist
            twist = TraceTwist(configuration)
        case .setTwistPosition(let position, let mode):
            name = .setTwistPosition
            self.position = position
            self.mode = mode
        case .updateFirmware(let image, let wasSent):
            name = .updateFirmware
            firmware = TraceFirmware(image, wasSent: wasSent)
        case .abortFirmwareUpdate: name = .abortFirmwareUpdate
        case .close: name = .close
        }
    }
}

/// A rename in a trace.
package struct TraceRename: Codable, Equatable, Sendable {
    package var name: TraceName
    package var time: UInt64

    init(_ rename: Rename, _ names: NameMask) {
        name = TraceName(rename.name, names)
        time = rename.timestamp
    }

    package var rename: Rename { Rename(name: name.buttonName, timestamp: time) }
}

/// What a session began with. Of the pairing there is only the identifier, which every packet that names the pairing shows.
package struct TraceBeginning: Codable, Equatable, Sendable {
    package struct Memory: Codable, Equatable, Sendable, CustomStringConvertible {
        var pairing: UInt32
        var boot: UInt32
        var count: UInt32
        /// Left out where there is but one button.
        var smallCount: UInt32?
        var isDuo: Bool?
        var firmware: UInt32
        var name: TraceName
        var pendingRename: TraceRename?
        var isAdvertisingConfigured: Bool

        package var description: String { "boot \(boot), count \(count), firmware \(firmware)" }
    }

    var address: String
    var root: String
    var mtu: Int
    var flags: UInt8
    /// Left out for a Flic 2 or Duo, as the next.
    var dialect: Dialect?
    var twist: TraceTwist?
    /// nil for a pairing.
    package var memory: Memory?
    var queueAfterPairing: SessionSettings.Queue
    var queueAfterReconnect: SessionSettings.Queue
    var autoDisconnectTime: UInt16
    var connectionParameters: SessionSettings.ConnectionParameters
    var advertising: SessionSettings.Advertising
    /// Left out where nothing is asked for.
    var pushTwist: DuoButtons?
    /// Times are in milliseconds.
    var verificationTimeout: Double
    var requestTimeout: Double
    var batteryInterval: Double

    init(_ beginning: HostSession.Beginning, _ names: NameMask) {
        address = Hexadecimal.text(beginning.peer.address)
        root = Hexadecimal.text(beginning.peer.root)
        mtu = beginning.mtu
        flags = beginning.flags
        if beginning.peer.dialect == .twist {
            dialect = .twist
            twist = TraceTwist(beginning.settings.twist)
        }
        memory = beginning.memory.map { memory in
            Memory(
                pairing: memory.pairing.identifier,
                boot: memory.position.bootID,
                count: memory.position.eventCount,
                smallCount: memory.isDuo ? memory.position.smallEventCount : nil,
                isDuo: memory.isDuo ? true : nil,
                firmware: memory.firmwareVersion,
                name: TraceName(memory.name, names),
                pendingRename: memory.pendingRename.map { TraceRename($0, names) },
                isAdvertisingConfigured: memory.isAdvertisingConfigured
            )
        }
        let settings = beginning.settings
        queueAfterPairing = settings.queueAfterPairing
        queueAfterReconnect = settings.queueAfterReconnect
        autoDisconnectTime = settings.autoDisconnectTime
        connectionParameters = settings.connectionParameters
        advertising = settings.advertising
        pushTwist = settings.pushTwist.isEmpty ? nil : settings.pushTwist
        verificationTimeout = settings.verificationTimeout.traceMilliseconds
        requestTimeout = settings.requestTimeout.traceMilliseconds
        batteryInterval = settings.batteryInterval.traceMilliseconds
    }

    /// The beginning with another pairing of the same identifier; nil if it is none that a session can have.
    ///
    /// - Parameter key: 16 bytes.
    package func beginning(pairingKey key: [UInt8]) -> HostSession.Beginning? {
        guard let address = Hexadecimal.bytes(address), address.count == 6, let root = Hexadecimal.bytes(root), root.count == 32,
            let verification = Duration(traceMilliseconds: verificationTimeout), let request = Duration(traceMilliseconds: requestTimeout),
            let battery = Duration(traceMilliseconds: batteryInterval)
        else { return nil }
        var settings = SessionSettings()
        settings.queueAfterPairing = queueAfterPairing
        settings.queueAfterReconnect = queueAfterReconnect
        settings.autoDisconnectTime = autoDisconnectTime
        settings.connectionParameters = connectionParameters
        settings.advertising = advertising
        settings.pushTwist = pushTwist ?? []
        if let twist { settings.twist = twist.configuration }
        settings.verificationTimeout = verification
        settings.requestTimeout = request
        settings.batteryInterval = battery
        let memory: HostSession.Memory? = memory.flatMap { memory in
            let identifier = (0..<4).map { UInt8(truncatingIfNeeded: memory.pairing >> (8 * $0)) }
            guard let pairing = Pairing(SecretBytes(identifier + key)) else { return nil }
            return HostSession.Memory(
                pairing: pairing,
                position: EventPosition(bootID: memory.boot, eventCount: memory.count, smallEventCount: memory.smallCount ?? 0),
                firmwareVersion: memory.firmware,
                name: memory.name.buttonName,
                pendingRename: memory.pendingRename?.rename,
                isAdvertisingConfigured: memory.isAdvertisingConfigured,
                isDuo: memory.isDuo ?? false
            )
        }
        guard (memory == nil) == (self.memory == nil) else { return nil }
        let peer = HostSession.Peer(address: address, root: root, dialect: dialect ?? .flic2)
        return HostSession.Beginning(peer: peer, memory: memory, mtu: mtu, settings: settings, flags: flags)
    }
}
