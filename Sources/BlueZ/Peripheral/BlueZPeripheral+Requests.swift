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
    let key: LongReads.Key
    let options: RequestOptions
    let call: IncomingCall
    /// Ends the wait before bluetoothd does.
    let timer: ScheduledWork
}

/// Reads and writes.
extension BlueZPeripheral {
    /// bluetoothd answers 0x0E by itself after 5 s and forgets the call (contract D65).
    private static let answerTime = Duration.milliseconds(4500)
    /// More cannot be open at a time.
    private static let requestLimit = 1024

    /// Answers a request. Later answers than the first, and those after 4.5 s, are dropped.
    public func respond(to request: RequestID, with answer: Result<[UInt8], ATTError>) {
        guard let open = requests.removeValue(forKey: request) else { return }
        open.timer.cancel()
        let answer = answer.map { Array($0.prefix(LocalCharacteristic.longestValue)) }
        switch open.kind {
        case .read:
            longReads.answered(open.key, request, try? answer.get(), mtu: open.options.mtu, now: loop.now)
            open.call.answer(answer)
        case .write:
            switch answer {
            case .success: open.call.reply()
            case .failure(let error): open.call.fail(error.dbusError)
            }
        }
    }

    /// What bluetoothd may call on an object.
    func methods(_ object: ApplicationTree.Object) -> [String: @Sendable (IncomingCall) -> Void] {
        switch object.role {
        case .service: [:]
        case .descriptor(let value): ["ReadValue": handler("a{sv}") { $0.read(value, $1) }]
        case .characteristic(let characteristic):
            [
                "ReadValue": handler("a{sv}") { $0.read(characteristic.id, $1) },
                "WriteValue": handler("aya{sv}") { $0.write(characteristic.id, $1) },
                "AcquireNotify": handler("a{sv}") { $0.acquireNotify(characteristic.id, $1) },
                "StartNotify": handler("") { $1.reply() },  // AcquireNotify has told who it is
                "StopNotify": handler("") { $0.stopNotify(characteristic.id, $1) },
                "Confirm": handler("") { $0.confirm(characteristic.id, $1) },
            ]
        }
    }

    /// A method for bluetoothd, and for nobody else: the bus may let other programs call as well.
    ///
    /// A peripheral that is gone leaves nothing unanswered (contract D66).
    ///
    /// - Parameter signature: Of the arguments.
    func handler(
        _ signature: String,
        _ body: @escaping @Sendable (isolated BlueZPeripheral, IncomingCall) -> Void
    ) -> @Sendable (IncomingCall) -> Void {
        { [weak self] call in
            guard let self else { return call.fail(ATTError.unlikely.dbusError) }
            self.assumeIsolated { peripheral in
                guard call.sender == peripheral.owner else {
                    return call.fail(DBusError(name: DBusError.accessDenied, message: "\(call.member) is for bluetoothd only"))
                }
                let given = call.arguments.map(\.signature).joined()
                guard given == signature else {
                    return call.fail(DBusError(name: DBusError.invalidArguments, message: "\(call.member) takes (\(signature)), not (\(given))"))
                }
                body(peripheral, call)
            }
        }
    }

    // MARK: Reads

    private func read(_ id: AttributeID, _ call: IncomingCall) {
        guard let characteristic = served[id], characteristic.path == call.path else { return call.fail(ATTError.unlikely.dbusError) }
        if let value = characteristic.value { return read(value, call) }
        guard let (options, central) = asker(call.arguments[0]) else { return refuse(call) }
        guard options.offset <= LocalCharacteristic.longestValue else { return call.fail(ATTError.invalidOffset.dbusError) }
        let key = LongReads.Key(device: options.device, attribute: id)
        if options.offset > 0, let rest = longReads.rest(key, from: options.offset, now: loop.now) { return call.answer(rest) }
        guard let request = open(.read, key, options, call) else { return }
        if options.offset == 0 { longReads.began(key, request, now: loop.now) }
        tell(.read(request, id, offset: options.offset, central))
    }

    /// A value that never changes is answered without asking.
    private func read(_ value: [UInt8], _ call: IncomingCall) {
        guard let (options, _) = asker(call.arguments[0]) else { return refuse(call) }
        call.answer(value.rest(from: options.offset))
    }

    // MARK: Writes

    private func write(_ id: AttributeID, _ call: IncomingCall) {
        guard served[id]?.path == call.path else { return call.fail(ATTError.unlikely.dbusError) }
        guard let value = call.arguments[0].byteArray, let (options, central) = asker(call.arguments[1]) else { return refuse(call) }
        guard !options.isPreparing else { return call.reply() }  // the write itself will be asked for (contract D63)
        guard options.offset <= LocalCharacteristic.longestValue else { return call.fail(ATTError.invalidOffset.dbusError) }
        guard options.offset + value.count <= LocalCharacteristic.longestValue else { return call.fail(ATTError.invalidValueLength.dbusError) }
        let key = LongReads.Key(device: options.device, attribute: id)
        longReads.forget { $0 == key }
        guard let request = open(.write, key, options, call) else { return }
        tell(.write(request, id, value: value, offset: options.offset, central))
    }

    // MARK: Open requests

    private func open(_ kind: OpenRequest.Kind, _ key: LongReads.Key, _ options: RequestOptions, _ call: IncomingCall) -> RequestID? {
        guard requests.count < Self.requestLimit else {
            call.fail(ATTError.unlikely.dbusError)
            return nil
        }
        let id = RequestID(nextNumber())
        let timer = loop.schedule(after: Self.answerTime) { [weak self] in
            self?.assumeIsolated { peripheral in
                peripheral.log("\(call.path) \(call.member): not answered in time")
                peripheral.expire(id)
            }
        }
        requests[id] = OpenRequest(kind: kind, key: key, options: options, call: call, timer: timer)
        return id
    }

    /// Answers a request in place of the program, which hears of it on the next turn.
    func expire(_ request: RequestID) {
        respond(to: request, with: .failure(.unlikely))
        loop.execute { [weak self] in self?.assumeIsolated { $0.tell(.expired(request)) } }
    }

    func refuse(_ call: IncomingCall) {
        call.fail(DBusError(name: DBusError.invalidArguments, message: "\(call.member) with options that make no sense"))
    }

    /// What is asked for, and by whom; nil if that cannot be understood.
    func asker(_ argument: DBusValue) -> (RequestOptions, RemoteCentral)? {
        guard let options = RequestOptions(argument), let address = tree.address(of: options.device) ?? options.addressInPath else { return nil }
        return (options, RemoteCentral(address: address, mtu: options.mtu))
    }
}

extension IncomingCall {
    /// Answers a read.
    fileprivate func answer(_ result: Result<[UInt8], ATTError>) {
        switch result {
        case .success(let value): reply([.bytes(value)])
        case .failure(let error): fail(error.dbusError)
        }
    }
}
