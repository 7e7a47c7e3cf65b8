import FlicClient

/// Carrying out requests.
extension SocketServer {
    /// Answers a line now or later; the next one of this client waits until then.
    func take(_ line: [UInt8], of number: Int) {
        let request: BridgeRequest
        do throws(BridgeRequest.Unreadable) {
            request = try BridgeRequest(line)
        } catch {
            return send(SocketAnswers.Refusal(id: error.id, error: error.refusal), to: number)
        }
        if request.request == .pair { return startPairing(request, of: number) }
        clients[number]?.isBusy = true
        spawn { server in
            do {
                try await server.carryOut(request, of: number)
            } catch {
                server.refuse(request, error, to: number)
            }
            server.clients[number]?.isBusy = false
            server.process(number)
        }
    }

    /// Starts work that may suspend. The preference keeps it on the loop throughout.
    @discardableResult
    private func spawn(_ work: @escaping @Sendable (isolated SocketServer) async -> Void) -> Task<Void, Never> {
        Task(executorPreference: loop) { await work(self) }
    }

    /// Carries a request out and answers it.
    private func carryOut(_ request: BridgeRequest, of number: Int) async throws {
        func answer(_ result: some Encodable) { send(SocketAnswers.Result(id: request.id, result: result), to: number) }
        switch request.request {
        case .ping: answer(SocketAnswers.Nothing())
        case .status: answer(await status())
        case .list: answer(buttons)
        case .metrics:
            guard let metrics = facts.metrics else { throw BridgeRefusal(.noMetrics, "This daemon has no metrics.") }
            answer(await metrics())
        case .subscribe:
            let filter = try EventFilter(request, among: infos)
            clients[number]?.filter = filter
            let admitted = infos.filter { filter.admits($0.identifier) }
            answer(BridgeSnapshot(bluetooth: bluetooth.name, buttons: admitted.map(status)))
        case .unsubscribe:
            clients[number]?.filter = nil
            answer(SocketAnswers.Nothing())
        case .cancel:
            guard cancelPairing(of: number) else { throw BridgeRefusal(.notPairing, "This client is not pairing.") }
            answer(SocketAnswers.Nothing())
        case .pair: break  // see startPairing
        case .forget:
            let info = try button(request)
            let last = status(info)
            try await bridge.forget(info.identifier)
            answer(last)
        case .rename:
            let name = request.name ?? ""
            answer(try await change(request) { await $0.setNickname(name) })
        case .mode:
            let rules = try request.clickRules()
            answer(try await change(request) { await $0.setClickRules(rules) })
        case .latency:
            let mode = try request.latencyMode()
            answer(try await change(request) { await $0.setLatency(mode) })
        case .queue:
            let policy = try request.queuePolicy()
            answer(try await change(request) { await $0.setQueuePolicy(policy) })
        case .autoDisconnect:
            let time = try request.autoDisconnectTime()
            answer(try await change(request) { await $0.setAutoDisconnectTime(time) })
        case .connect: answer(try await change(request) { await $0.connect() })
        case .disconnect: answer(try await change(request) { await $0.disconnect() })
        }
    }

    private func refuse(_ request: BridgeRequest, _ error: any Error, to number: Int) {
        let refusal =
            switch error {
            case let refusal as BridgeRefusal: refusal
            case let problem as ButtonChoice.Problem: BridgeRefusal(problem)
            case let error as FlicError: BridgeRefusal(error)
            default: BridgeRefusal(.badRequest, "\(error)")
            }
        send(SocketAnswers.Refusal(id: request.id, error: refusal), to: number)
    }

    // MARK: Buttons

    // On the loop of the bridge, so that nothing happens between what is read here and what is answered.
    private var infos: [ButtonInfo] { bridge.assumeIsolated { $0.buttons } }
    private var bluetooth: CentralState { bridge.assumeIsolated { $0.bluetooth } }

    private func status(_ info: ButtonInfo) -> ButtonStatus { ButtonStatus(info, histories[info.identifier]) }

    private var buttons: [ButtonStatus] { infos.map(status) }

    private func button(_ request: BridgeRequest) throws(ButtonChoice.Problem) -> ButtonInfo {
        try ButtonChoice(buttons: infos).button(request.button ?? "")
    }

    private func change(_ request: BridgeRequest, _ body: @Sendable (FlicButton) async -> Void) async throws -> ButtonStatus {
        let id = try button(request).identifier
        try await bridge.change(id, body)
        guard let info = infos.first(where: { $0.identifier == id }) else { throw FlicError(.alreadyForgotten) }
        return status(info)
    }

    private func status() async -> BridgeStatus {
        let problem = bluetooth == .poweredOn ? nil : await facts.problem()
        let rules = await facts.rules?()
        let limit = await bridge.connectionLimit
        let buttons = buttons
        let uptime = (loop.now - started) / .milliseconds(1)
        return BridgeStatus(
            version: facts.version,
            uptime: uptime.rounded() / 1000,
            bluetooth: bluetooth.name,
            problem: problem,
            connected: buttons.count { $0.state == ButtonInfo.State.connected.rawValue },
            connectionLimit: limit,
            clients: clients.count,
            store: facts.store,
            rules: rules,
            buttons: buttons
        )
    }

    // MARK: Pairing

    private func startPairing(_ request: BridgeRequest, of number: Int) {
        guard clients[number]?.pairing == nil else { return refuse(request, FlicError(.alreadyPairing), to: number) }
        let time: Duration
        do throws(BridgeRefusal) {
            time = try request.pairingTime()
        } catch {
            return refuse(request, error, to: number)
        }
        let attempt = PairingProgress()
        let task = spawn { server in
            let result = await server.pair(request, within: time, of: number, attempt)
            server.finishPairing(request, result, of: number)
        }
        let limit = loop.schedule(after: time) {
            attempt.isLate = true
            task.cancel()
        }
        clients[number]?.pairing = Pairing(task: task, limit: limit)
    }

    private func pair(
        _ request: BridgeRequest,
        within time: Duration,
        of number: Int,
        _ progress: PairingProgress
    ) async -> Result<ButtonInfo, FlicError> {
        let deadline = loop.now + time
        while true {
            do throws(FlicError) {
                let info = try await bridge.pair(name: request.name) { [weak self] step in
                    progress.hasFound = true
                    self?.assumeIsolated { $0.send(SocketAnswers.Step(id: request.id, step: step.rawValue), to: number) }
                }
                return .success(info)
            } catch {
                if progress.isLate { return .failure(FlicError(progress.hasFound ? .timedOut : .noButtonFound)) }
                // The hub looks for half a minute.
                guard error.code == .noButtonFound, loop.now < deadline, !Task.isCancelled else { return .failure(error) }
            }
        }
    }

    private func finishPairing(_ request: BridgeRequest, _ result: Result<ButtonInfo, FlicError>, of number: Int) {
        clients[number]?.pairing?.limit.cancel()
        clients[number]?.pairing = nil
        switch result {
        case .success(let info): send(SocketAnswers.Result(id: request.id, result: status(info)), to: number)
        case .failure(let error): refuse(request, error, to: number)
        }
    }

    /// - Returns: Whether there is one.
    @discardableResult
    func cancelPairing(of number: Int) -> Bool {
        guard let pairing = clients[number]?.pairing else { return false }
        pairing.limit.cancel()
        pairing.task.cancel()
        return true
    }
}

/// `@unchecked Sendable`: used on the loop only.
private final class PairingProgress: @unchecked Sendable {
    /// A button was found.
    var hasFound = false
    /// The time is over.
    var isLate = false
}
