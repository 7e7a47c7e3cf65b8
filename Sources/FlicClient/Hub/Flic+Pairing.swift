import EventLoops
import FlicProtocol
import FoundationEssentials
public import GATT

/// Finding and pairing buttons.
extension Flic {
    /// A pairing under way.
    struct Pairing {
        let number: UInt64
        var attempt: PairingAttempt
        /// The attempt that made its link.
        var linkAttempt: LinkAttempt?
        /// The button that it has found, until its link is asked for.
        var found: BluetoothAddress?
        /// A link was refused for want of room once.
        var hasMadeRoom = false
        var timer = DeadlineTimer()
        let step: @Sendable (PairingStep) -> Void
        let completion: @Sendable (Result<FlicButton, FlicError>) -> Void
    }

    /// Finds a button in public mode (hold it down for seven seconds) and pairs with it.
    ///
    /// When it returns, the pairing is stored, and the button is connected and listened to; it will be kept connected. Cancelling the task ends the
    /// attempt.
    ///
    /// - Parameter onStep: Hears the steps, on the loop.
    /// - Throws: ``FlicError``; contract B.6.3 says which when.
    public func pair(onStep: @escaping @Sendable (PairingStep) -> Void = { _ in }) async throws(FlicError) -> FlicButton {
        await start()
        for await state in stateUpdates() where state != .unknown { break }  // comes within ten seconds (contract B39)
        let number = nextNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Paired, FlicError>, Never>) in
                guard !Task.isCancelled else { return continuation.resume(returning: .failure(FlicError(.cancelled))) }
                startPairing(number: number, step: onStep) { result in
                    continuation.resume(returning: result.map { Paired(button: $0, notices: $0.events()) })
                }
            }
        } onCancel: {
            loop.execute { [weak self] in
                self?.assumeIsolated { if $0.pairing?.number == number { $0.endPairing(FlicError(.cancelled)) } }
            }
        }
        return try await result.get().listening
    }

    /// A button that was paired just now, and what has happened to it since.
    private struct Paired: Sendable {
        let button: FlicButton
        let notices: AsyncStream<ButtonNotice>

        /// The button, once presses are told. Those made before belong to nobody (protocol 7.3).
        var listening: FlicButton {
            get async {
                for await notice in notices {
                    switch notice {
                    case .queueFinished, .notReady, .disconnected: return button
                    default: continue
                    }
                }
                return button
            }
        }
    }

    /// How long a pairing waits for room: an idle button has a link that is ended, which takes bluetoothd two seconds.
    private static let roomTime = Duration.seconds(8)

    /// Calls back once, on the loop.
    package func startPairing(
        number: UInt64? = nil,
        step: @escaping @Sendable (PairingStep) -> Void,
        completion: @escaping @Sendable (Result<FlicButton, FlicError>) -> Void
    ) {
        switch state {
        case _ where pairing != nil: return completion(.failure(FlicError(.alreadyPairing)))
        case .poweredOn: break
        case .unsupported(.tooOld): return completion(.failure(FlicError(.systemTooOld)))
        default: return completion(.failure(FlicError(.bluetoothUnavailable, detail: "\(state)")))
        }
        pairing = Pairing(
            number: number ?? nextNumber(),
            attempt: PairingAttempt(roots: configuration.roots, settings: settings, recorder: configuration.recorder, now: loop.now),
            step: step,
            completion: completion
        )
        updatePairing { _, _ in }
    }

    /// Ends the pairing under way, if there is one.
    package func endPairing(_ error: FlicError) {
        updatePairing { $0.end(with: error, into: &$1) }
    }

    /// The buttons in public mode that are heard while the sequence is being read.
    public func discoveries() -> AsyncStream<Advertisement> {
        let (stream, continuation) = AsyncStream.makeStream(of: Advertisement.self, bufferingPolicy: .bufferingNewest(Feed<Advertisement>.capacity))
        let number = Int(truncatingIfNeeded: nextNumber())
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            self.loop.execute { [weak self] in
                self?.assumeIsolated {
                    $0.listeners[number] = nil
                    $0.updateDiscovery()
                }
            }
        }
        updateDiscovery()
        return stream
    }

    func pairingHeard(_ advertisement: Advertisement) {
        guard pairing?.attempt.wantsDiscovery == true else { return }
        let isPaired = identifiers[advertisement.address].flatMap { entries[$0] }.map { !$0.connection.record.isUnpaired } ?? false
        let now = loop.now
        updatePairing { $0.heard(advertisement, isPaired: isPaired, now: now, into: &$1) }
    }

    private func updatePairing(_ body: (inout PairingAttempt, inout [PairingAttempt.Action]) -> Void) {
        guard pairing != nil else { return }
        var actions: [PairingAttempt.Action] = []
        let (link, product) = (pairing?.attempt.linkID, pairing?.attempt.product ?? .flic2)
        body(&pairing!.attempt, &actions)
        for action in actions {
            switch action {
            case .open(let address): pairing?.found = address
            case .write(let frame): if let link = pairing?.attempt.linkID ?? link { write(frame, to: link, of: product) }
            case .close(let link): close(link, .forgetting)  // contract B.6.3
            case .tell(let step): pairing?.step(step)
            case .failed(let error): finishPairing(.failure(error))
            case .paired(let result): store(result)
            }
        }
        let deadline = pairing?.attempt.deadline
        pairing?.timer.set(deadline, on: loop) { [weak self] in
            self?.assumeIsolated { flic in
                flic.pairing?.timer.fired()
                let now = flic.loop.now
                flic.updatePairing { $0.tick(now: now, into: &$1) }
            }
        }
        planner.pairing = pairing.map { $0.found != nil ? .waiting : $0.attempt.linkID != nil ? .linked : .none } ?? .none
        followPlan()
    }

    /// Makes the link, now that it is its turn.
    func openForPairing() {
        guard let address = pairing?.found else { return }
        pairing?.found = nil
        let (link, attempt) = open(address, pairing?.attempt.product ?? .flic2, for: .pairing)
        pairing?.linkAttempt = attempt
        pairing?.attempt.opened(link)
        planner.pairing = .linked
    }

    func receiveForPairing(_ event: LinkEvent) {
        guard let link = pairing?.attempt.linkID else { return }
        let now = loop.now
        if case .closed(let error?) = event, error.code == .limitReached, planner.canMakeRoom, let address = pairing?.attempt.address,
            pairing?.hasMadeRoom == false
        {
            // An idle button makes room for it, if there is one.
            pairing?.hasMadeRoom = true
            let number = pairing?.number
            loop.schedule(after: Self.roomTime) { [weak self] in
                self?.assumeIsolated { if $0.pairing?.number == number { $0.openForPairing() } }
            }
            return updatePairing { attempt, actions in
                attempt.reopen()
                actions.append(.open(address))
            }
        }
        updatePairing { $0.receive(event, on: link, now: now, random: HostSession.Randomness.fresh, into: &$1) }
    }

    private func finishPairing(_ result: Result<FlicButton, FlicError>) {
        guard var finished = pairing else { return }
        finished.timer.cancel()
        pairing = nil
        finished.completion(result)
    }

    /// Makes a record of the pairing and stores it before anybody is told (contract B.6.2). The session goes on meanwhile.
    private func store(_ result: PairingAttempt.Result) {
        let id = ButtonIdentifier.make(machine: configuration.machineIdentity, address: result.address)
        var record = ButtonRecord(
            identifier: id,
            address: result.address,
            uuid: Hexadecimal.text(result.button.uuid),
            serialNumber: result.button.serialNumber,
            name: result.advertisedName ?? "Flic \(result.button.serialNumber)",
            pairing: result.button.pairing
        )
        record.nickname = result.button.name.isEmpty ? nil : result.button.name.text
        record.firmwareVersion = result.button.firmwareVersion
        record.product = result.button.isDuo ? .duo : result.product
        let replaced = entries[id]
        remove(id, mayComeBack: true)  // the void pairing of the same button is forgotten silently (contract B.6.8)
        add(record)
        entries[id]?.held = []
        if let attempt = pairing?.linkAttempt {
            entries[id]?.attempt = attempt
            linkOwners[attempt] = .button(id)
        }
        let now = loop.now
        var adopted: ButtonInfo?
        update(id) { adopted = $0.adopt(result, now: now, into: &$1) }
        entries[id]?.adopted = adopted
        spawn { flic in
            do throws(PairingStoreError) {
                try await flic.save()
                replaced?.button.finish()
                flic.pairing?.step(.verified)
                flic.release(id) { flic.finishPairing(.success($0)) }
            } catch {
                flic.update(id) { $0.forget(into: &$1) }
                flic.remove(id)
                if let replaced { flic.add(replaced.connection.record, as: replaced.button) }
                flic.finishPairing(.failure(FlicError(.storeFailed, detail: error.description)))
            }
        }
    }
}
