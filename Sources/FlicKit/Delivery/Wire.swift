import EventLoops
import FlicClient

/// The way between a program and its buttons: calls go to the loop, what happens comes back on the delivery queue.
struct Wire: Sendable {
    let flic: Flic
    /// Serial.
    let queue: DispatchQueue

    /// Does something on the loop.
    ///
    /// Order is kept: call this under the lock that orders what the program does.
    func call(_ body: @escaping @Sendable (isolated Flic) -> Void) {
        flic.loop.execute { [flic] in flic.assumeIsolated { body($0) } }
    }

    /// The same, with an echo on the delivery queue: what arrives there before is older than the call, what arrives after is newer.
    func call(echo: @escaping @Sendable () -> Void, _ body: @escaping @Sendable (isolated Flic) -> Void) {
        call { [queue] flic in
            queue.async(execute: echo)
            body(flic)
        }
    }
}
