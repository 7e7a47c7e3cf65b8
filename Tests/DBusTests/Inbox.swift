import Synchronization

/// Collects what handlers are told, for a test to wait for.
final class Inbox<Item: Sendable>: Sendable {
    private struct State {
        var items: [Item] = []
        var waiting: CheckedContinuation<Item, Never>?
    }

    private let state = Mutex(State())

    func add(_ item: Item) {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            if state.waiting == nil { state.items.append(item) }
            return state.waiting
        }
        waiting?.resume(returning: item)
    }

    /// The oldest item that was not given yet.
    func next() async -> Item {
        await withCheckedContinuation { continuation in
            let item: Item? = state.withLock { state in
                guard state.items.isEmpty else { return state.items.removeFirst() }
                state.waiting = continuation
                return nil
            }
            if let item { continuation.resume(returning: item) }
        }
    }

    /// What is there and was not given yet.
    var rest: [Item] { state.withLock { $0.items } }
}
