import DBus
import EventLoops
public import GATT

/// A request of a central that waits for the program's answer.
struct OpenRequest {
    enum Kind {
        case read
        case write
    }

    let kind: Kind
    let call: IncomingCall
    /// Ends the wait before bluetoothd does.
    let timer: ScheduledWork
}

/// Reads and writes.
extension BlueZPeripheral {
    /// bluetoothd answers 0x0E by itself after 5 s and forgets the call (contract D65).
    private static let answerTime = Duration.milliseconds(4500)

    /// Answers a request. Later answers than the first, and those after 4.5 s, are dropped.
    public func respond(to request: RequestID, with answer: Result<[UInt8], ATTError>) {
        guard let open = requests.removeValue(forKey: request) else { return }
        open.timer.cancel()
        switch answer {
        case .success(let value): open.call.reply(open.kind == .read ? [.bytes(Array(value.prefix(ApplicationTree.longestValue)))] : [])
        case .failure(let error): open.call.fail(error.dbusError)
        }
    }

    /// What bluetoothd may call on an object.
    func methods(_ object: ApplicationTree.Object) -> [String: @Sendable (IncomingCall) -> Void] {
        switch object.role {
        case .service: [:]
        case .descriptor(let value): ["ReadValue": { Self.serve(value, to: $0) }]
        case .characteristic(let characteristic):
            [
                "ReadValue": handler { $0.read(characteristic.id, $1) },
                "WriteValue": handler { $0.write(characteristic.id, $1) },
                "AcquireNotify": handler { $0.acquireNotify(characteristic.id, $1) },
                "StartNotify": { $0.reply() },  // AcquireNotify has told who it is
                "StopNotify": handler { $0.stopNotify(characteristic.id, $1) },
                "Confirm": handler { $0.confirm(characteristic.id, $1) },
            ]
        }
    }

    /// A peripheral that is gone leaves nothing unanswered (contract D66).
    private func handler(
        _ body: @escaping @Sendable (isolated BlueZPeripheral, IncomingCall) -> Void
    ) -> @Sendable (IncomingCall) -> Void {
        { [weak self] call in
            if let self { self.assumeIsolated { body($0, call) } } else { call.fail(ATTError.unlikely.dbusError) }
        }
    }

    // MARK: Reads

    private func read(_ id: AttributeID, _ call: IncomingCall) {
        if let value = served[id]?.value { return Self.serve(value, to: call) }
        guard let options = RequestOptions(call.arguments.first) else { return refuse(call) }
        let request = open(.read, call)
        tell(.read(request, id, offset: options.offset, central(options)))
    }

    /// A value that never changes is answered without asking, from the offset on; nothing is left at its end, which is no error.
    private static func serve(_ value: [UInt8], to call: IncomingCall) {
        let offset = RequestOptions(call.arguments.first)?.offset ?? 0
        if offset > value.count { call.fail(ATTError.invalidOffset.dbusError) } else { call.reply([.bytes(Array(value.dropFirst(offset)))]) }
    }

    // MARK: Writes

    private func write(_ id: AttributeID, _ call: IncomingCall) {
        guard let value = call.arguments.first?.byteArray, let options = RequestOptions(call.arguments.dropFirst().first) else { return refuse(call) }
        guard !options.isPreparing else { return call.reply() }  // the write itself will be asked for (contract D63)
        let request = open(.write, call)
        tell(.write(request, id, value: value, offset: options.offset, central(options)))
    }

    // MARK: Open requests

    private func open(_ kind: OpenRequest.Kind, _ call: IncomingCall) -> RequestID {
        let id = RequestID(nextNumber())
        let timer = loop.schedule(after: Self.answerTime) { [weak self] in
            self?.assumeIsolated { peripheral in
                peripheral.log("\(call.path) \(call.member): not answered in time")
                peripheral.respond(to: id, with: .failure(.unlikely))
            }
        }
        requests[id] = OpenRequest(kind: kind, call: call, timer: timer)
        return id
    }

    func refuse(_ call: IncomingCall) {
        call.fail(DBusError(name: DBusError.invalidArguments, message: "\(call.member) with arguments that make no sense"))
    }

    /// Who asks.
    func central(_ options: RequestOptions) -> RemoteCentral {
        RemoteCentral(address: tree.address(of: options.device) ?? options.addressInPath, mtu: options.mtu)
    }
}
