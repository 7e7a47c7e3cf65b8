public import FlicKit  // and nothing else: it brings Foundation and Dispatch along (contract A1)

// A program as people write them for iPhones: a list of buttons on a screen, in the main actor. That it compiles is the test.

// Programs add conformances and members of their own (contract A5).
extension FLICButton: Identifiable {
    /// For lists on the screen.
    public var id: UUID { identifier }

    var displayName: String {
        guard let nickname, !nickname.isEmpty else { return name ?? "Flic \(serialNumber)" }
        return nickname
    }
}

protocol Captioned {
    var caption: String { get }
}

extension FLICManagerState: Captioned {
    static func isUsable(_ state: FLICManagerState) -> Bool { state == .poweredOn }

    var caption: String {
        switch self {
        case .unknown: "Starting"
        case .resetting: "Restarting"
        case .unsupported: "No Bluetooth"
        case .unauthorized: "Not allowed"
        case .poweredOff: "Off"
        case .poweredOn: "On"
        @unknown default: "State \(rawValue)"
        }
    }
}

/// The model of the screen.
@MainActor
final class ButtonListModel: NSObject {
    struct Row: Equatable, Identifiable {
        let id: UUID
        let title: String
        let isConnected: Bool
        let needsBattery: Bool
    }

    private(set) var rows: [Row] = []
    private(set) var status = ""
    private(set) var history: [String] = []
    private var known: Set<FLICButton> = []
    private let sortKey: KeyPath<FLICButton, String> = \.serialNumber

    func reload(_ manager: FLICManager) {
        known = Set(manager.buttons())
        rows = manager.buttons().sorted { $0[keyPath: sortKey] < $1[keyPath: sortKey] }.map { button in
            Row(
                id: button.id,
                title: button.displayName,
                isConnected: button.state == .connected,
                needsBattery: button.batteryVoltage > 0 && button.batteryVoltage < 2.65
            )
        }
    }

    func contains(_ button: FLICButton) -> Bool { known.contains(button) }

    // The forms in which programs scan and forget (contract A10, A11, B33-B35).

    func add(_ manager: FLICManager) {
        manager.scanForButtons { event in
            DispatchQueue.main.async { self.history.append("scan \(event.rawValue)") }
        } completion: { button, error in
            DispatchQueue.main.async {
                if let error = error as NSError?, error.domain == FLICButtonScannerErrorDomain {
                    self.history.append("scan failed \(error.code) \(error.localizedDescription)")
                } else if button != nil {
                    self.history.append("scan paired")
                }
            }
        }
        manager.scanForButtons(stateChangeHandler: { _ in }) { _, _ in }
        manager.scanForButtons(stateChangeHandler: { _ in }, completion: { _, _ in })
    }

    func addLater(_ manager: FLICManager) async throws {
        let button = try await manager.scanForButtons { _ in }
        try await manager.forgetButton(button)
        try await FLICManager.shared()?.scanForButtons(stateChangeHandler: { _ in })
        FLICManager.shared()
        manager.buttons()
    }

    func remove(_ button: FLICButton, _ manager: FLICManager) {
        manager.forgetButton(button) { uuid, error in
            let text = error == nil ? "forgot \(uuid.uuidString.count)" : "still there"
            DispatchQueue.main.async { self.history.append(text) }
        }
    }

    func configure(_ button: FLICButton) {
        button.triggerMode = .clickAndDoubleClickAndHold
        button.latencyMode = .low
        button.nickname = "Hall"
    }

    deinit { FLICManager.shared()?.stopScan() }
}

// The three ways in which a class of the main actor conforms (contract A21).

extension ButtonListModel: @preconcurrency FLICManagerDelegate {
    func managerDidRestoreState(_ manager: FLICManager) { reload(manager) }

    func manager(_ manager: FLICManager, didUpdate state: FLICManagerState) {
        status = FLICManagerState.isUsable(state) ? state.caption : "! \(state.caption)"
        history.append("same \(manager.state == state)")
    }
}

extension ButtonListModel: @MainActor FLICButtonDelegate {
    func buttonDidConnect(_ button: FLICButton) { history.append("connected") }
    func buttonIsReady(_ button: FLICButton) { history.append("ready") }

    func button(_ button: FLICButton, didDisconnectWithError error: (any Error)?) {
        history.append("disconnected \(error?.localizedDescription ?? "")")
    }

    func button(_ button: FLICButton, didFailToConnectWithError error: (any Error)?) {
        switch (error as NSError?).map({ ($0.domain, FLICError(rawValue: $0.code)) }) {
        case (FLICErrorDomain, .unpaired)?: history.append("scan for it again")
        default: history.append("failed")
        }
    }

    func button(_ button: FLICButton, didReceiveButtonClick queued: Bool, age: NSInteger) { history.append("click") }
}

/// A delegate of no actor.
final class NonisolatedLogger: NSObject, FLICManagerDelegate, Sendable {
    nonisolated func managerDidRestoreState(_ manager: FLICManager) {}
    nonisolated func manager(_ manager: FLICManager, didUpdate state: FLICManagerState) {}
}
