public import DBus

/// Trouble on demand.
extension FakeBlueZ {
    /// What is wrong with the daemon as long as it is set. Nothing is by default.
    public struct Faults: Sendable, Equatable {
        /// How often each signal is sent.
        public var signalCopies = 1
        /// Devices turn out not to have the Flic service.
        public var hidesService = false
        /// How the characteristic to a button may be written, as told when its services are shown: by `write-without-response`, `write`, or both.
        public var writeFlags = ["write-without-response"]
        /// Services are never resolved.
        public var neverResolves = false
        /// That a device is connected shows in its properties, but no signal tells it.
        public var omitsConnected = false
        /// How much later than the answers to calls changes of properties are told. They keep their order.
        public var signalDelay: Duration = .zero

        /// Makes a daemon without faults.
        public init() {}
    }

    /// What goes wrong with a call.
    public enum Trouble: Sendable {
        /// It fails, and nothing is done.
        case error(DBusError)
        /// It is answered with these values, and nothing is done.
        case answer([DBusValue])
        /// It is never answered, and nothing is done.
        case silence
        /// It is done as always and answered this much later, perhaps when the caller has given up.
        case late(Duration)
        /// For Connect: the link comes up, is lost after this time, and the call fails with le-connection-abort-by-local (hbldh/bleak#993).
        case flap(Duration)
        /// For StartNotify: these values are notified before the answer (hbldh/bleak#374).
        case valuesFirst([[UInt8]])
    }

    struct TroubleRule {
        let title: String
        let path: String?
        let client: String?
        var times: Int
        let trouble: Trouble
    }

    /// Makes trouble with calls. Of several that fit a call, the one that was asked for first comes first.
    ///
    /// ```swift
    /// await fake.trouble(with: "Device1.Connect", times: 2, .flap(.milliseconds(40)))
    /// ```
    ///
    /// - Parameters:
    ///   - title: Interface and method, as in ``calls``; `Properties.Set` and `ObjectManager.GetManagedObjects` too.
    ///   - path: The object; nil for any.
    ///   - client: The caller's unique name; nil for anybody.
    ///   - times: How many calls.
    ///   - trouble: What goes wrong with them.
    public func trouble(with title: String, at path: String? = nil, from client: String? = nil, times: Int = .max, _ trouble: Trouble) {
        guard times > 0 else { return }
        rules.append(TroubleRule(title: title, path: path, client: client, times: times, trouble: trouble))
    }

    /// Refuses everything to a client, as the policy of a bus may.
    ///
    /// - Parameter client: Its unique name; nil for everybody.
    public func denyAccess(to client: String? = nil) {
        trouble(with: "", from: client, .error(DBusError(name: DBusError.accessDenied, message: "Rejected send message")))
    }

    /// Ends all trouble with calls.
    public func endTrouble() { rules = [] }

    /// Changes what is wrong from now on.
    public func setFaults(_ change: @Sendable (inout Faults) -> Void) { change(&faults) }

    func trouble(for call: IncomingCall) -> Trouble? {
        let title = "\(BlueZName.short(call.interface)).\(call.member)"
        let found = rules.firstIndex { rule in
            (rule.title.isEmpty || rule.title == title) && (rule.path ?? call.path) == call.path
                && (rule.client ?? call.sender) == call.sender
        }
        guard let found else { return nil }
        rules[found].times -= 1
        let trouble = rules[found].trouble
        if rules[found].times == 0 { rules.remove(at: found) }
        return trouble
    }
}
