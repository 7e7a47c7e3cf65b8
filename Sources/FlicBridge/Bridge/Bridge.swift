package import FlicClient
package import FoundationEssentials

/// The buttons of a daemon and those who are told of them: rules, clients, a broker, the journal.
///
/// It is an actor on the loop of its hub, and its outlets are called there: from a notification of the radio to the last of them there is no change of
/// queue.
package actor Bridge {
    /// Hears everything, on the loop of the bridge. It must not block.
    package typealias Outlet = (BridgeNotice) -> Void

    package nonisolated let loop: any EventLoop
    /// The bridge runs on the loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let flic: Flic
    private var outlets: [Outlet] = []
    /// The buttons that outlets have been told of, in the order of pairing.
    private var told: [UUID] = []
    private var known: [UUID: FlicButton] = [:]
    private(set) package var bluetooth = CentralState.unknown

    /// - Parameter flic: A hub that has not been started. The bridge observes it from now on.
    package init(_ flic: Flic) {
        self.flic = flic
        loop = flic.loop
    }

    /// Adds somebody to be told of everything: first the buttons that are there and the state of Bluetooth, then what happens.
    package func add(_ outlet: sending @escaping Outlet) {
        for button in buttons { outlet(.added(button)) }
        if bluetooth != .unknown { outlet(.bluetooth(bluetooth)) }
        outlets.append(outlet)
    }

    /// Begins: reads the store and connects the buttons.
    package func start() async {
        await flic.observe { [weak self] notice in self?.assumeIsolated { $0.receive(notice) } }
        await flic.start()
    }

    /// Ends all links. Nothing is told any more.
    package func stop() async {
        await flic.stop()
        outlets = []
    }

    // MARK: What is told

    /// The buttons as they are now, in the order of pairing.
    package var buttons: [ButtonInfo] { told.compactMap { known[$0]?.info } }

    /// How many links the adapter can hold, if it has refused one lately.
    package var connectionLimit: Int? { get async { await flic.connectionLimit } }

    /// Whether the buttons are those of the store: another process may have it.
    package var hasStore: Bool { flic.assumeIsolated { $0.storeProblem == nil } }

    private func receive(_ notice: FlicNotice) {
        switch notice {
        case .restored(let buttons), .buttonsChanged(let buttons): update(buttons)
        case .state(let state):
            bluetooth = state
            tell(.bluetooth(state))
        case .button(let button, let notice, let info):
            guard known[button.identifier] === button else {
                add(button, info)
                return tell(.button(notice, info))
            }
            tell(.button(notice, info))
        }
    }

    /// Tells which buttons have come and gone.
    private func update(_ buttons: [FlicButton]) {
        let present = Set(buttons.map(\.identifier))
        for id in told where !present.contains(id) { remove(id) }
        for button in buttons where known[button.identifier] !== button { add(button, button.info) }
    }

    private func add(_ button: FlicButton, _ info: ButtonInfo) {
        remove(button.identifier)  // a button that was paired anew is another one
        told.append(button.identifier)
        known[button.identifier] = button
        tell(.added(info))
    }

    private func remove(_ id: UUID) {
        guard let button = known.removeValue(forKey: id) else { return }
        told.removeAll { $0 == id }
        tell(.removed(button.info))
    }

    private func tell(_ notice: BridgeNotice) {
        for outlet in outlets { outlet(notice) }
    }
}

// MARK: Requests

extension Bridge {
    /// Finds a button in pairing mode and pairs with it.
    ///
    /// - Parameters:
    ///   - name: The nickname that it is to have; nil leaves it as it is.
    ///   - onStep: Hears the steps, on the loop.
    /// - Throws: ``FlicError`` as ``Flic/pair(onStep:)``.
    package func pair(name: String? = nil, onStep: @escaping @Sendable (PairingStep) -> Void = { _ in }) async throws(FlicError) -> ButtonInfo {
        let button = try await flic.pair(onStep: onStep)
        if known[button.identifier] !== button { add(button, button.info) }
        if let name { try await change(button.identifier) { await $0.setNickname(name) } }
        return button.info
    }

    /// Deletes a pairing.
    ///
    /// - Throws: ``FlicError`` `alreadyForgotten`, or `storeFailed`: then the button stays.
    package func forget(_ id: UUID) async throws(FlicError) {
        guard let button = known[id] else { throw FlicError(.alreadyForgotten) }
        try await flic.forget(button)
        if known[id] === button { remove(id) }
    }

    /// Changes a button, and tells it.
    ///
    /// - Throws: ``FlicError`` `alreadyForgotten` if it is not there.
    package func change(_ id: UUID, _ body: @Sendable (FlicButton) async -> Void) async throws(FlicError) {
        guard let button = known[id] else { throw FlicError(.alreadyForgotten) }
        await body(button)
        if known[id] === button { tell(.changed(button.info)) }
    }
}
