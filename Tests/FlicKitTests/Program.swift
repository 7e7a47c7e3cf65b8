import FlicKit
import Foundation

/// What a program hears, as one list of short texts: each call with what the properties say inside it.
///
/// A button's call ends with its state, then `ready`, `unpaired` and `unlisted` where that is so. A press has the press count. A call on
/// another queue, or from inside a call of the program, leaves a line in capitals, which no trace expects (contract A24).
final class Program: NSObject, FLICManagerDelegate, FLICButtonDelegate, @unchecked Sendable {
    /// Marks the delivery queue.
    static let isDelivery = DispatchSpecificKey<Bool>()

    private let lock = NSLock()
    private var lines: [String] = []
    /// What the library had to complain about.
    private var complaints: [String] = []
    private weak var manager: FLICManager?
    private var isReacting = false
    /// What the program does inside a call, by the beginning of its line.
    private var reactions: [(beginning: String, react: @Sendable (FLICButton?) -> Void)] = []

    func watch(_ manager: FLICManager) { self.manager = manager }

    /// What was heard since the last time.
    func take() -> [String] {
        lock.withLock {
            defer { lines = [] }
            return lines
        }
    }

    /// Does something inside the next call whose line begins like this.
    func onNext(_ beginning: String, _ reaction: @escaping @Sendable (FLICButton?) -> Void) {
        lock.withLock { reactions.append((beginning, reaction)) }
    }

    func complain(_ text: String) { lock.withLock { complaints.append(text) } }

    func takeComplaints() -> [String] {
        lock.withLock {
            defer { complaints = [] }
            return complaints
        }
    }

    /// Something that is no call.
    func remark(_ text: String) { lock.withLock { lines.append(text) } }

    func note(_ text: String, _ button: FLICButton? = nil) {
        let isOnQueue = DispatchQueue.getSpecific(key: Self.isDelivery) == true
        let react = lock.withLock { () -> (@Sendable (FLICButton?) -> Void)? in
            if !isOnQueue { lines.append("ON ANOTHER QUEUE") }
            if isReacting { lines.append("NESTED") }
            lines.append(text)
            guard let index = reactions.firstIndex(where: { text.hasPrefix($0.beginning) }) else { return nil }
            isReacting = true
            return reactions.remove(at: index).react
        }
        react?(button)
        lock.withLock { isReacting = false }
    }

    private func note(_ text: String, of button: FLICButton) {
        var flags = ["\(button.state)"]
        if button.isReady { flags.append("ready") }
        if button.isUnpaired { flags.append("unpaired") }
        if manager?.buttons().contains(button) != true { flags.append("unlisted") }
        note("\(text): \(flags.joined(separator: " "))", button)
    }

    static func text(_ error: (any Error)?) -> String {
        guard let error = error as NSError? else { return "nil" }
        switch error.domain {
        case FLICErrorDomain: return FLICError(rawValue: error.code).map { "flic.\($0)" } ?? "?"
        case FLICButtonScannerErrorDomain: return FLICButtonScannerErrorCode(rawValue: error.code).map { "scanner.\($0)" } ?? "?"
        default: return "\(error.domain) \(error.code)"
        }
    }

    // MARK: What the program does

    /// Scans, and notes what the scan tells under a name.
    func scan(_ name: String = "scan") {
        manager?.scanForButtons(
            stateChangeHandler: { event in self.note("\(name) \(event) isScanning=\(self.manager?.isScanning == true)") },
            completion: { button, error in
                let flag = "isScanning=\(self.manager?.isScanning == true)"
                guard let button else { return self.note("\(name) done \(Self.text(error)) \(flag)") }
                let isSet = button.delegate === self
                self.note("\(name) done \(flag) delegate=\(isSet)", of: button)
            }
        )
    }

    func forget(_ button: FLICButton, _ name: String = "forgot") {
        manager?.forgetButton(button) { uuid, error in
            let isListed = self.manager?.buttons().contains { $0.identifier == uuid } == true
            self.note("\(name) \(Self.text(error)) same=\(uuid == button.identifier) listed=\(isListed)", button)
        }
    }

    // MARK: FLICManagerDelegate

    func managerDidRestoreState(_ manager: FLICManager) {
        note("restored: \(manager.state) buttons=\(manager.buttons().count)")
        for button in manager.buttons() {
            note("  \(button.serialNumber) delegate=\(button.delegate === self)", of: button)
        }
    }

    func manager(_ manager: FLICManager, didUpdate state: FLICManagerState) {
        note("state \(state): \(manager.state)")
    }

    // MARK: FLICButtonDelegate

    func buttonDidConnect(_ button: FLICButton) { note("didConnect", of: button) }
    func buttonIsReady(_ button: FLICButton) { note("isReady", of: button) }

    func button(_ button: FLICButton, didDisconnectWithError error: (any Error)?) {
        note("didDisconnect(\(Self.text(error)))", of: button)
    }

    func button(_ button: FLICButton, didFailToConnectWithError error: (any Error)?) {
        note("didFailToConnect(\(Self.text(error)))", of: button)
    }

    func button(_ button: FLICButton, didReceiveButtonDown queued: Bool, age: Int) { press("down", button, queued, age) }
    func button(_ button: FLICButton, didReceiveButtonUp queued: Bool, age: Int) { press("up", button, queued, age) }
    func button(_ button: FLICButton, didReceiveButtonClick queued: Bool, age: Int) { press("click", button, queued, age) }
    func button(_ button: FLICButton, didReceiveButtonDoubleClick queued: Bool, age: Int) { press("doubleClick", button, queued, age) }
    func button(_ button: FLICButton, didReceiveButtonHold queued: Bool, age: Int) { press("hold", button, queued, age) }

    func button(_ button: FLICButton, didUnpairWithError error: (any Error)?) { note("didUnpair(\(Self.text(error)))", of: button) }

    func button(_ button: FLICButton, didUpdateBatteryVoltage voltage: Float) {
        note("battery same=\(button.batteryVoltage == voltage)", of: button)
    }

    func button(_ button: FLICButton, didUpdateNickname nickname: String) {
        note("nickname \(nickname) same=\(button.nickname == nickname)", of: button)
    }

    private func press(_ kind: String, _ button: FLICButton, _ queued: Bool, _ age: Int) {
        note("\(kind) #\(button.pressCount)\(queued ? " queued \(age)" : age == 0 ? "" : " age \(age)!")", button)
    }
}
