import DBus
import EventLoops

/// Calls from clients.
extension FakeBlueZ {
    func receive(_ call: IncomingCall) {
        note("call \(call.title)")
        watch(call.sender)
        let noted = noting(call)
        switch trouble(for: call) {
        case .none: perform(noted)
        case .error(let error): noted.fail(error)
        case .answer(let values): noted.reply(values)
        case .silence: break
        case .late(let delay): perform(late(noted, delay))
        case .flap(let time) where isIdle(call.path): flap(noted, time)
        case .flap: perform(noted)
        case .valuesFirst(let values):
            for value in values { notifyOnce(value, at: call.path) }
            perform(noted)
        }
    }

    private func perform(_ call: IncomingCall) {
        guard let interfaces = tree[call.path] else {
            return call.fail(DBusError(name: DBusError.unknownObject, message: "Method \"\(call.member)\" on object that doesn't exist"))
        }
        switch (call.interface, call.member) {
        case (BlueZName.objectManager, "GetManagedObjects") where call.path == "/": managedObjects(call)
        case (BlueZName.properties, _): properties(call)
        case _ where interfaces[call.interface] == nil: call.fail(.noSuchMethod)

        case (BlueZName.adapter, "SetDiscoveryFilter"): setDiscoveryFilter(call)
        case (BlueZName.adapter, "StartDiscovery"): startDiscovery(call)
        case (BlueZName.adapter, "StopDiscovery"): stopDiscovery(call)
        case (BlueZName.adapter, "RemoveDevice"): removeDevice(call)

        case (BlueZName.device, "Connect"): connect(call)
        case (BlueZName.device, "Disconnect"): disconnect(call)

        case (BlueZName.characteristic, "ReadValue"): call.fail(.bluez("NotPermitted", "Read not permitted"))
        case (BlueZName.characteristic, "WriteValue"): writeValue(call)
        case (BlueZName.characteristic, "StartNotify"): startNotify(call)
        case (BlueZName.characteristic, "StopNotify"): stopNotify(call)
        case (BlueZName.characteristic, "AcquireNotify"): acquire(.fromButton, call)
        case (BlueZName.characteristic, "AcquireWrite"): acquire(.toButton, call)

        case (BlueZName.gattManager, "RegisterApplication"): registerApplication(call)
        case (BlueZName.gattManager, "UnregisterApplication"): unregisterApplication(call)
        case (BlueZName.advertisingManager, "RegisterAdvertisement"): registerAdvertisement(call)
        case (BlueZName.advertisingManager, "UnregisterAdvertisement"): unregisterAdvertisement(call)

        case (BlueZName.agentManager, "RegisterAgent"), (BlueZName.agentManager, "UnregisterAgent"), (BlueZName.agentManager, "RequestDefaultAgent"):
            call.reply()
        default: call.fail(.noSuchMethod)
        }
    }

    // MARK: Answers

    /// The same call, its answer written to the journal.
    private func noting(_ call: IncomingCall) -> IncomingCall {
        call.answered { [weak self] result in
            // Noted first: what the client does upon the answer is to come after it.
            self?.assumeIsolated { fake in
                switch result {
                case .success: fake.note("reply \(call.title)")
                case .failure(let error): fake.note("error \(call.title) \(error.name)")
                }
            }
            call.answer(result)
        }
    }

    /// The same call, its answer held back.
    private func late(_ call: IncomingCall, _ delay: Duration) -> IncomingCall {
        call.answered { [loop] result in
            loop.schedule(after: delay) { call.answer(result) }
        }
    }

    // MARK: Clients

    /// Notices when a client leaves the bus: with it go its discovery, its notifications and what it has registered. Sockets end by themselves.
    private func watch(_ client: String) {
        guard clients[client] == nil, let connection else { return }
        clients[client] = connection.assumeIsolated { connection in
            connection.watchOwner(of: client) { [weak self] owner in
                guard owner == nil else { return }
                self?.assumeIsolated { $0.left(client) }
            }
        }
    }

    private func left(_ client: String) {
        guard let watch = clients.removeValue(forKey: client) else { return }
        connection?.assumeIsolated { $0.unsubscribe(watch) }
        for path in adapters.keys { endDiscovery(of: client, on: path) }
        for path in devices.keys { endNotifications(of: client, on: path) }
        dropRegistrations(of: client)
        noteChange()
    }
}

extension IncomingCall {
    /// Interface, member and object, for people: `Device1.Connect /org/bluez/hci0/dev_80_E4_DA_00_00_01`.
    var title: String { "\(BlueZName.short(interface)).\(member) \(path)" }

    /// The same call, answered in another way.
    fileprivate func answered(_ answer: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void) -> IncomingCall {
        IncomingCall(sender: sender, path: path, interface: interface, member: member, arguments: arguments, answer: answer)
    }

    fileprivate func answer(_ result: Result<[DBusValue], DBusError>) {
        switch result {
        case .success(let values): reply(values)
        case .failure(let error): fail(error)
        }
    }
}
