import FlicBridge

/// Commands that talk to buttons.
extension Invocation {
    static let wait = Option(name: "--wait", summary: "Wait for Bluetooth if it is not available yet.")
    static let record = Option(
        name: "--record",
        value: "FILE",
        choices: .files,
        summary: "Record all bytes and decisions in this new file, for 'flic replay'."
    )

    /// A hub, and what it reaches buttons with.
    struct Hub: Sendable {
        let flic: Flic
        let transport: Transport
        fileprivate let invocation: Invocation

        /// Waits until it is known whether Bluetooth can be used; until it can be, if that was asked for (D9).
        ///
        /// - Throws: ``Failure`` if it cannot.
        func requirePower() async throws {
            var hasRemarked = false
            for await state in await flic.stateUpdates() where state != .unknown {
                guard let failure = Failure(state, problem: await transport.problem()) else { return }
                guard invocation.arguments.has(Invocation.wait) else { throw failure }
                if !hasRemarked { invocation.remark("Waiting for Bluetooth. \(failure.message)") }
                hasRemarked = true
            }
            throw CancellationError()
        }

        /// Waits until Bluetooth cannot be used any more.
        ///
        /// - Throws: ``Failure`` that says why.
        func powerLoss() async throws -> Never {
            for await state in await flic.stateUpdates() {
                if let failure = Failure(state, problem: await transport.problem()) { throw failure }
            }
            throw CancellationError()
        }
    }

    /// Starts a hub for as long as `body` runs. Whatever way that ends, nothing is listened for and no button is connected afterwards.
    ///
    /// - Parameter observer: Hears everything from the very beginning, on the loop.
    func withHub<Result>(
        _ store: any PairingStore,
        observer: @escaping @Sendable (FlicNotice) -> Void = { _ in },
        _ body: (Hub) async throws -> Result
    ) async throws -> Result {
        let hub = try await makeHub(store)
        await hub.flic.observe(observer)
        await hub.flic.start()
        do {
            let result = try await body(hub)
            await hub.flic.stop()
            return result
        } catch {
            await hub.flic.stop()
            throw error
        }
    }

    /// A hub that has not been started.
    func makeHub(_ store: any PairingStore) async throws -> Hub {
        let testRoot = try testRoot()
        let transport = try await context.makeTransport(transportRequest)
        var configuration = FlicConfiguration(central: transport.central, store: store)
        if let testRoot {
            configuration = FlicConfiguration(central: transport.central, store: store, trustingTestRoot: testRoot)
        }
        configuration.clickRules = .usual
        configuration.date = context.date
        configuration.log = log
        if let path = arguments.value(Self.record) {
            configuration.recorder = try TraceRecorder(creating: path, program: "flic \(FlicProgram.version)", log: log)
        }
        return Hub(flic: Flic(configuration), transport: transport, invocation: self)
    }

    /// A hub that can reach no button.
    private func hubWithoutRadio(_ store: any PairingStore) -> Flic {
        var configuration = FlicConfiguration(central: AbsentCentral(loop: loop), store: store)
        configuration.clickRules = .usual
        configuration.date = context.date
        configuration.log = log
        return Flic(configuration)
    }

    /// Starts a hub that can reach no button, for as long as `body` changes what is stored.
    ///
    /// - Throws: Also if what has been changed could not be stored.
    func withStoredButtons<Result>(_ body: (Flic) async throws -> Result) async throws -> Result {
        let flic = hubWithoutRadio(try await OpenedStore(try store()))
        await flic.start()
        do {
            let result = try await body(flic)
            try await flic.save()
            await flic.stop()
            return result
        } catch {
            await flic.stop()
            throw error
        }
    }

    /// What is stored of paired buttons, as a hub that can reach none of them tells it.
    func buttons(in records: [ButtonRecord]) async -> [ButtonInfo] {
        let flic = hubWithoutRadio(MemoryStore(records))
        await flic.start()
        return await flic.buttons.map(\.info)
    }

    /// The buttons that the names mean, those of the operands unless told otherwise; all if there are none.
    func chosenButtons(_ names: [String]? = nil, in records: [ButtonRecord]) async throws(Failure) -> [ButtonInfo] {
        let choice = ButtonChoice(buttons: await buttons(in: records))
        guard !choice.buttons.isEmpty else {
            throw Failure.noButtons
        }
        let operands = names ?? arguments.operands
        do throws(ButtonChoice.Problem) {
            return operands.isEmpty ? choice.buttons : try operands.map { operand throws(ButtonChoice.Problem) in try choice.button(operand) }
        } catch {
            throw Failure(error)
        }
    }
}

extension Failure {
    static let noButtons = Failure(.notPaired, "noButtons", "No buttons are paired; pair one with 'flic pair'.")
}
