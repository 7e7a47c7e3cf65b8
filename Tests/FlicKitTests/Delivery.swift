import Dispatch

/// The delivery queue of a test's program, which stands still except while it is drained.
final class Delivery: Sendable {
    let queue = DispatchQueue(label: "delivery")

    init() {
        queue.setSpecific(key: Program.isDelivery, value: true)
        queue.suspend()
    }

    deinit { queue.resume() }  // a suspended queue must not be released

    /// Makes the calls that wait.
    func drain() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
            queue.resume()
        }
        queue.suspend()
    }
}
