import DBus
import EventLoops
public import GATT

/// Values, and the ways by which they come and go (see ``ValueTransfer``).
extension BlueZCentral {
    /// The largest value of a characteristic, and what a bluetoothd that knows no bounds might add.
    private static let largestPacket = 1024

    // MARK: Beginning

    /// Opens the ways for a link whose characteristics have been found.
    func prepareValues(of id: LinkID, _ request: LinkRequest) {
        let writable = transfer == .sockets ? request.writable : []
        links[id]?.stage = .subscribing(left: 1 + request.notifying.count + writable.count)
        askForMTU(id)
        for characteristic in request.notifying {
            switch transfer {
            case .messages: startNotify(characteristic, id)
            case .sockets: acquire("AcquireNotify", characteristic, id) { $0.startNotify(characteristic, id) }
            }
        }
        for characteristic in writable {
            acquire("AcquireWrite", characteristic, id) { $0.prepared(id) }
        }
    }

    /// Characteristics have an MTU while there is a link, but no signal brings it (seen with 5.66): of those that are known from an earlier link the tree
    /// has none.
    private func askForMTU(_ id: LinkID) {
        guard let path = links[id]?.characteristics.values.first else { return prepared(id) }
        call(path, BlueZName.properties, "Get", [.string(BlueZName.characteristic), .string("MTU")]) { central, result in
            // Versions before 5.62 have no such property; 23 works everywhere.
            if let mtu = (try? result.get())?.first?.integer { central.links[id]?.mtus.append(mtu) }
            central.prepared(id)
        }
    }

    private func startNotify(_ characteristic: BluetoothUUID, _ id: LinkID) {
        guard let path = links[id]?.characteristics[characteristic] else { return }
        // Listening begins before StartNotify is called: a fast device's first values may beat its answer (hbldh/bleak#374).
        listeners[path] = (id, characteristic)
        call(path, BlueZName.characteristic, "StartNotify") { central, result in
            guard let error = result.failure else { return central.prepared(id) }
            guard case .subscribing = central.links[id]?.stage else { return }
            central.fail(id, LinkError(error.notifyFailure, detail: error.description))
        }
    }

    /// Asks for a socket. Whatever is wrong with the answer, messages may still work.
    private func acquire(
        _ member: String,
        _ characteristic: BluetoothUUID,
        _ id: LinkID,
        orElse fallBack: @escaping @Sendable (isolated BlueZCentral) -> Void
    ) {
        guard let path = links[id]?.characteristics[characteristic] else { return }
        call(path, BlueZName.characteristic, member, [.properties([:])]) { central, result in
            // If the link is gone, the descriptor in the answer closes itself.
            guard case .subscribing = central.links[id]?.stage else { return }
            if let error = result.failure { central.log("\(error)") }
            guard let answer = try? result.get(), answer.count >= 2, case .fileDescriptor(let descriptor) = answer[0], let mtu = answer[1].integer,
                let socket = central.socket(descriptor, characteristic, id)
            else { return fallBack(central) }
            central.links[id]?.sockets[characteristic] = socket
            central.links[id]?.mtus.append(mtu)
            central.prepared(id)
        }
    }

    private func socket(_ descriptor: DBusFileDescriptor, _ characteristic: BluetoothUUID, _ id: LinkID) -> PacketSocket? {
        let number = descriptor.take()
        guard number >= 0 else { return nil }
        return PacketSocket(
            number,
            largestPacket: Self.largestPacket,
            on: session.loop,
            received: { [weak self] value in self?.assumeIsolated { $0.received(value, from: characteristic, id) } },
            ended: { [weak self] in self?.assumeIsolated { $0.socketEnded(id) } }
        )
    }

    /// One of the ways is open.
    private func prepared(_ id: LinkID) {
        guard case .subscribing(let left) = links[id]?.stage else { return }
        links[id]?.stage = .subscribing(left: left - 1)
        if left == 1 { becomeReady(id) }
    }

    private func becomeReady(_ id: LinkID) {
        guard let link = links[id] else { return }
        links[id]?.timer?.cancel()
        links[id]?.stage = .ready
        links[id]?.early = []
        if let device = link.device { strikes[device] = nil }
        link.handler(.ready(mtu: link.mtus.min() ?? 23))
        for (value, characteristic) in link.early { link.handler(.value(value, from: characteristic)) }
    }

    // MARK: Coming

    /// A signal brought a value.
    func received(_ value: [UInt8], from path: String) {
        guard let (id, characteristic) = listeners[path] else { return }
        received(value, from: characteristic, id)
    }

    private func received(_ value: [UInt8], from characteristic: BluetoothUUID, _ id: LinkID) {
        guard let link = links[id] else { return }
        switch link.stage {
        case .ready: link.handler(.value(value, from: characteristic))
        case .subscribing where link.early.count < BlueZLink.mostEarlyValues: links[id]?.early.append((value, characteristic))
        default: break
        }
    }

    // MARK: Going

    /// What a write of a characteristic asks for.
    private enum Writing: String {
        case command
        /// The device answers.
        case request
    }

    /// Writes by Write Without Response, or by Write if there is no other way. bluetoothd keeps the order.
    ///
    /// bluetoothd takes as many commands as it is given, long before they are sent. For those who wait (`completion`) one write in sixteen is a
    /// request, where the characteristic takes both: its answer comes when the device has got what was sent before.
    public func write(_ value: [UInt8], to characteristic: BluetoothUUID, on id: LinkID, completion: (@Sendable (LinkError?) -> Void)?) {
        guard let link = links[id], link.stage == .ready, let path = link.characteristics[characteristic] else {
            if let completion { loop.execute { completion(LinkError(.failed, detail: "the link is closed")) } }
            return
        }
        if let socket = link.sockets[characteristic] {
            let isTaken = socket.send(value)
            if !isTaken { log("\(path): a value of \(value.count) bytes was not taken") }
            guard let completion else { return }
            guard isTaken else { return loop.execute { completion(LinkError(.failed, detail: "the socket of \(path) takes nothing")) } }
            return socket.whenSent { [loop] in loop.execute { completion(nil) } }
        }
        let writing = writing(to: characteristic, at: path, id, isAwaited: completion != nil)
        let arguments: [DBusValue] = [.bytes(value), .properties(["type": .string(writing.rawValue)])]
        // A device has 30 s to answer a request (Bluetooth Core, Vol 3, Part F, 3.3.3), and bluetoothd waits with it.
        call(path, BlueZName.characteristic, "WriteValue", arguments, timeout: .seconds(35), isLong: writing == .request) { central, result in
            // A link that is gone says so by itself; nothing else can be done about a command.
            if let error = result.failure { central.log("\(error)") }
            completion?(result.failure.map { LinkError(.failed, detail: "\($0)") })
        }
    }

    private func writing(to characteristic: BluetoothUUID, at path: String, _ id: LinkID, isAwaited: Bool) -> Writing {
        let flags = tree.properties(path, BlueZName.characteristic)?["Flags"]?.stringArray ?? []
        guard flags.contains("write") else { return .command }
        guard flags.contains("write-without-response") else { return .request }
        guard isAwaited else { return .command }
        let commands = links[id]?.commands[characteristic, default: 0] ?? 0
        let isDue = commands == BlueZLink.mostCommands
        links[id]?.commands[characteristic] = isDue ? 0 : commands + 1
        return isDue ? .request : .command
    }

    // MARK: The end

    func closeSockets(of id: LinkID) {
        for socket in links[id]?.sockets.values.map({ $0 }) ?? [] { socket.close() }
        links[id]?.sockets = [:]
    }

    /// Sockets end with the link, and the link's end is told by a signal as well. If that does not come, the socket alone is gone.
    private func socketEnded(_ id: LinkID) {
        loop.schedule(after: BlueZLink.socketGrace) { [weak self] in
            self?.assumeIsolated { central in
                guard let link = central.links[id], link.stage != .closing else { return }
                central.fail(id, LinkError(.failed, detail: "bluetoothd closed the socket of \(link.device ?? "a device")"))
            }
        }
    }
}
