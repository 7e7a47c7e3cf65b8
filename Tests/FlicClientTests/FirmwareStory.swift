import EventLoops
import FlicClient
import Synchronization

/// Reads an update to its end.
final class FirmwareStory: Sendable {
    private struct State {
        var updates: [FirmwareUpdate] = []
        var error: (any Error)?
        var isOver = false
    }

    private let state = Mutex(State())
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter loop: Where it reads; elsewhere virtual time would not wait for it.
    init(_ loop: any EventLoop, _ button: FlicButton, _ image: FirmwareImage, patience: Duration = .seconds(120)) {
        let updates = button.updateFirmware(with: image, patience: patience)
        let task = Task(executorPreference: loop) { [weak self] in
            do {
                for try await update in updates { self?.state.withLock { $0.updates.append(update) } }
                self?.state.withLock { $0.isOver = true }
            } catch {
                self?.state.withLock {
                    $0.error = error
                    $0.isOver = true
                }
            }
        }
        self.task.withLock { $0 = task }
    }

    deinit { cancel() }

    func cancel() { task.withLock { $0?.cancel() } }

    var updates: [FirmwareUpdate] { state.withLock { $0.updates } }
    var isOver: Bool { state.withLock { $0.isOver } }
    /// The code of the error that ended it.
    var failure: String? {
        state.withLock { state in
            switch state.error {
            case let error as FirmwareError: error.code.rawValue
            case let error as FlicError: error.code.rawValue
            case let error?: "\(error)"
            case nil: nil
            }
        }
    }

    /// What the button has acknowledged, in bytes.
    var positions: [Int] {
        updates.compactMap { if case .transferring(let acknowledged, _) = $0 { acknowledged } else { nil } }
    }

    /// Updates without positions, the same ones in a row only once.
    var phases: [String] {
        var phases: [String] = []
        for update in updates {
            let phase =
                switch update {
                case .waiting: "waiting"
                case .transferring: "transferring"
                case .restarting: "restarting"
                case .finished(let old, let new): "finished \(old) \(new)"
                }
            if phases.last != phase { phases.append(phase) }
        }
        return phases
    }
}

extension FirmwareImage.Product {
    /// What runs such images.
    var device: FlicProduct { FlicProduct.allCases.first { $0.image == self } ?? .flic2 }
}
