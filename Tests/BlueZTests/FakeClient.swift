import DBus
import EventLoops
import FlicSimulator

/// A plain program on the bus: notes what org.bluez signals and what it answers, in the order in which it arrives.
actor FakeClient {
    nonisolated let loop = VirtualTime.makeLoop("client")
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated let transcript = FakeTranscript()
    private let connection: DBusConnection
    /// Kept alive as long as somebody uses it.
    private nonisolated let stage: FakeStage
    /// Left out of the lines, so that they are easier to read.
    private nonisolated var device: String { stage.device }

    init(_ stage: FakeStage) {
        self.stage = stage
        connection = DBusConnection(stage.bus.address, loop: loop)
    }

    /// Connects and listens.
    ///
    /// - Returns: Its unique name.
    @discardableResult
    func open() async -> String {
        let name = await withCheckedContinuation { continuation in
            connection.assumeIsolated { connection in
                connection.open { event in
                    guard case .connected(let name) = event else { return }
                    continuation.resume(returning: name)
                }
                _ = connection.subscribe(MatchRule(sender: "org.bluez")) { [transcript, device] signal in transcript.note(Self.text(signal, device)) }
                _ = connection.watchOwner(of: "org.bluez") { [transcript] owner in
                    transcript.note(owner == nil ? "no owner" : "owner")
                }
            }
        }
        // Once this is answered, the bus has the rules, too.
        await call("/", "ObjectManager.GetManagedObjects", noting: false)
        _ = transcript.take()
        return name
    }

    func close() { connection.assumeIsolated { $0.close() } }

    /// Calls a method of org.bluez and notes the answer.
    ///
    /// - Parameter path: A path, or the rest of one below the device.
    /// - Returns: The values; empty if it failed.
    @discardableResult
    func call(
        _ path: String,
        _ title: String,
        _ arguments: [DBusValue] = [],
        to destination: String = "org.bluez",
        timeout: Duration = .seconds(20),
        noting: Bool = true
    ) async -> [DBusValue] {
        await withCheckedContinuation { continuation in
            begin(path, title, arguments, to: destination, timeout: timeout, noting: noting) { continuation.resume(returning: (try? $0.get()) ?? []) }
        }
    }

    /// The same without waiting.
    func begin(
        _ path: String,
        _ title: String,
        _ arguments: [DBusValue] = [],
        to destination: String = "org.bluez",
        timeout: Duration = .seconds(20),
        noting: Bool = true,
        then: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void = { _ in }
    ) {
        let parts = title.split(separator: ".").map(String.init)
        let prefix = parts[0].hasSuffix("1") ? "org.bluez." : "org.freedesktop."
        let interface = prefix + (parts[0].hasSuffix("1") || parts[0] == "DBus" ? "" : "DBus.") + parts[0]
        let call = MethodCall(to: destination, at: full(path), interface, parts[1], arguments, timeout: timeout, mayStart: false)
        connection.assumeIsolated { connection in
            _ = connection.call(call) { [transcript] result in
                if noting {
                    switch result {
                    case .success: transcript.note("\(parts[1]) ok")
                    case .failure(let error): transcript.note("\(parts[1]) \(error.name): \(error.message)")
                    }
                }
                then(result)
            }
        }
    }

    /// The unique name of the daemon; empty if there is none.
    func owner() async -> String {
        let arguments: [DBusValue] = [.string("org.bluez")]
        let bus = "org.freedesktop.DBus"
        return await call("/org/freedesktop/DBus", "DBus.GetNameOwner", arguments, to: bus, noting: false).first?.string ?? ""
    }

    /// All objects.
    func objects() async -> [String: [String: [String: DBusValue]]] {
        let values = await call("/", "ObjectManager.GetManagedObjects", noting: false)
        var objects: [String: [String: [String: DBusValue]]] = [:]
        for (path, interfaces) in values.first?.dictionary ?? [:] {
            objects[path.path ?? ""] = (interfaces.dictionary ?? [:]).reduce(into: [:]) { $0[$1.key.string ?? ""] = $1.value.namedValues }
        }
        return objects
    }

    private func full(_ path: String) -> String { path.hasPrefix("/") ? path : path.isEmpty ? device : device + "/" + path }

    private static func text(_ signal: Signal, _ device: String) -> String {
        let arguments = signal.arguments
        let path = (signal.member == "PropertiesChanged" ? signal.path : arguments.first?.path ?? "").short(device)
        switch signal.member {
        case "InterfacesAdded": return "added \(path)"
        case "InterfacesRemoved": return "removed \(path)"
        case "PropertiesChanged" where arguments.count == 3:
            let changes = (arguments[1].namedValues ?? [:]).map { "\($0)=\($1.short)" }.sorted()
            let invalidated = (arguments[2].stringArray ?? []).map { "-\($0)" }
            return ([path] + changes + invalidated).joined(separator: " ")
        default: return signal.member
        }
    }
}

extension String {
    fileprivate func short(_ device: String) -> String {
        self == device ? "device" : hasPrefix(device) ? String(split(separator: "/").last ?? "") : self
    }
}

extension DBusValue {
    fileprivate var short: String {
        switch self {
        case .boolean(let value): "\(value)"
        case .string(let text): text
        case .bytes(let bytes): "\(bytes)"
        default: integer.map { "\($0)" } ?? signature
        }
    }
}
