import BlueZ
import EventLoops
import GATT
import Logs

/// What happens, from the loop to the delegate.
///
/// Changes are applied on the delivery queue, each right before the call that tells of it (contract A26). The delegate is read then, too.
extension CBPeripheralManager {
    /// Begins, with what the last run of the program has left.
    func start() {
        let restored = restoration?.load()
        var services: [PeripheralDesk.RestoredService] = []
        records.withLock { records in
            for service in restored?.services ?? [] {
                let (id, content, includes) = records.add(service, isRestored: true)
                if case .success(let local) = content { services.append(.init(id: id, service: local, includes: includes)) }
            }
            if let advertisement = restored?.advertisement { records.restoreAdvertisement(advertisement) }
        }
        if let restored {
            // Before everything else (contract D10).
            deliver { $0.delegate?.peripheralManager($0, willRestoreState: restored.dictionary) }
        }
        call { [services] in $0.start(restored: services, restored?.advertisement) }
    }

    /// On the loop.
    func heard(_ notice: DeskNotice) {
        guard case .sent(let count) = notice else { return deliver { $0.apply(notice) } }
        if records.withLock({ $0.taken(count) }) {
            deliver { $0.delegate?.peripheralManagerIsReady(toUpdateSubscribers: $0) }
        }
    }

    private func deliver(_ body: @escaping (CBPeripheralManager) -> Void) {
        let handed = Handed(value: (self, body))
        queue.async { handed.value.1(handed.value.0) }
    }

    // MARK: On the delivery queue

    private func apply(_ notice: DeskNotice) {
        switch notice {
        case .state(let state):
            learn(CBManagerState(state))
            if warnsOfPower, state == .poweredOff { remark(.problem, "Bluetooth is switched off") }
            delegate?.peripheralManagerDidUpdateState(self)
        case .added(let id, let refusal): added(id, refusal)
        case .forgotten:
            records.withLock { $0.forget() }
            save()
        case .advertising(let start, let refusal): advertising(start, refusal)
        case .subscribed(let name, let remote):
            guard let (central, characteristic) = records.withLock({ $0.subscribe(name, remote) }) else { return }
            delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
        case .unsubscribed(let name, let address):
            guard let (central, characteristic) = records.withLock({ $0.unsubscribe(name, address) }) else { return }
            delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
        case .read(let request, let name, let offset, let remote): read(request, name, offset, remote)
        case .write(let request, let name, let value, let offset, let remote): write(request, name, value, offset, remote)
        case .expired(let request):
            guard records.withLock({ $0.close(request) }) else { return }
            remark(.problem, "a request has not been answered in time, and was answered with 14 (unlikelyError)")
        case .sent: break
        case .disconnected(let address): records.withLock { $0.disconnected(address) }
        case .channelPublished(let psm, let refusal):
            delegate?.peripheralManager(self, didPublishL2CAPChannel: psm, error: refusal?.error)
        case .channelUnpublished(let psm, let refusal):
            delegate?.peripheralManager(self, didUnpublishL2CAPChannel: psm, error: refusal?.error)
        case .channelOpened(let socket, let psm): opened(socket, psm)
        case .channelFailed(let refusal): delegate?.peripheralManager(self, didOpen: nil, error: refusal.error)
        }
    }

    private func added(_ id: ServiceTable.ID, _ refusal: Refusal?) {
        guard let record = records.withLock({ $0.answered(id, refusal) }) else { return }
        if refusal == nil { save() }
        delegate?.peripheralManager(self, didAdd: record.service, error: refusal?.error)
    }

    /// The start of an earlier run of the program is not told.
    private func advertising(_ start: Int, _ refusal: Refusal?) {
        if refusal == nil {
            records.withLock { $0.advertising(start) }
            save()
        }
        if start > 0 { delegate?.peripheralManagerDidStartAdvertising(self, error: refusal?.error) }
    }

    // MARK: Requests

    private func read(_ id: RequestID, _ name: AttributeID, _ offset: Int, _ remote: RemoteCentral) {
        let request = records.withLock { records in
            records.characteristics[name]?.mayRead == true ? records.open(id, name, remote, offset: offset, value: nil) : nil
        }
        guard let request else { return answer(id, .failure(.readNotPermitted)) }
        guard let delegate else { return respond(to: request, withResult: .requestNotSupported) }
        delegate.peripheralManager(self, didReceiveRead: request)
    }

    private func write(_ id: RequestID, _ name: AttributeID, _ value: [UInt8], _ offset: Int, _ remote: RemoteCentral) {
        let request = records.withLock { records in
            records.characteristics[name]?.mayWrite == true ? records.open(id, name, remote, offset: offset, value: Data(value)) : nil
        }
        guard let request else { return answer(id, .failure(.writeNotPermitted)) }
        guard let delegate else { return respond(to: request, withResult: .requestNotSupported) }
        delegate.peripheralManager(self, didReceiveWrite: [request])
    }

    private func opened(_ socket: L2CAPSocket, _ psm: CBL2CAPPSM) {
        let central = records.withLock { $0.central(RemoteCentral(address: socket.peer, mtu: 23)) }
        let channel = CBL2CAPChannel(socket: socket, psm: psm, peer: central)
        delegate?.peripheralManager(self, didOpen: channel, error: nil)
    }

    // MARK: Restoration

    /// Keeps what is published and advertised for the next run of the program, if it wants that.
    func save() {
        guard let restoration else { return }
        let (services, advertisement) = records.withLock { records in
            (records.services.filter(\.isPublished).map(\.service), records.isAdvertising ? records.advertisement : nil)
        }
        restoration.save(services, advertisement)
    }
}

/// Something that goes from one queue to another, and is used on the other only.
private struct Handed<Value>: @unchecked Sendable {
    let value: Value
}
