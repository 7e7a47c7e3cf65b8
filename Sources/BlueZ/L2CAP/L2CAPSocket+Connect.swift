import CBluetooth
import EventLoops
package import GATT
import Glibc
import Synchronization

extension L2CAPSocket {
    /// Opens a channel to a device, and the link to it if there is none.
    ///
    /// - Parameters:
    ///   - peer: The device.
    ///   - psm: The number that it listens on.
    ///   - adapter: The address of the adapter to use.
    ///   - requiresEncryption: The link has to be encrypted.
    ///   - limit: How long to wait.
    /// - Throws: ``L2CAPError``: `timedOut` after `limit`; `failed` with `ECONNREFUSED` if nobody listens, `ECANCELED` if the task is cancelled, and others.
    package static func connect(
        to peer: BluetoothAddress,
        psm: UInt16,
        from adapter: BluetoothAddress,
        requiresEncryption: Bool = false,
        within limit: Duration = .seconds(60)
    ) async throws(L2CAPError) -> L2CAPSocket {
        let descriptor = try Descriptor.l2cap(at: adapter, requiresEncryption: requiresEncryption)
        var place = sockaddr_l2(peer, psm: psm)
        if place.withSocketAddress({ Glibc.connect(descriptor.number, $0, $1) }) != 0 {
            guard errno == EINPROGRESS else { throw L2CAPError.last("connect") }
            let attempt = ConnectionAttempt(descriptor)
            if let error = await attempt.outcome(within: limit) { throw error }
        }
        let mtus = try descriptor.mtus()
        return L2CAPSocket(descriptor, psm: psm, peer: peer, receiveMTU: mtus.receive, sendMTU: mtus.send)
    }
}

/// Waits until a socket is connected, or will not be.
private final class ConnectionAttempt: Sendable {
    private let descriptor: Descriptor
    private let loop = DispatchLoop(label: "flickit.l2cap.connect")
    private let state = Mutex(State())

    private struct State {
        var readiness: Readiness?
        var timer: ScheduledWork?
        var continuation: CheckedContinuation<L2CAPError?, Never>?
        /// Known before anybody asks.
        var isCancelled = false
    }

    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// Nil if the socket is connected.
    func outcome(within limit: Duration) async -> L2CAPError? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    guard !state.isCancelled else { return true }
                    state.continuation = continuation
                    state.readiness = Readiness(.writing, of: descriptor, on: loop) { [weak self] in self?.look() }
                    state.timer = loop.schedule(after: limit) { [weak self] in self?.finish(.timedOut) }
                    return false
                }
                if isCancelled { continuation.resume(returning: Self.cancelled) }
            }
        } onCancel: {
            state.withLock { $0.isCancelled = true }
            finish(Self.cancelled)
        }
    }

    private static let cancelled = L2CAPError.failed(call: "connect", errno: ECANCELED)

    private func look() {
        let prospects = descriptor.prospects
        if let error = descriptor.pendingError("connect") {
            finish(error)
        } else if prospects.isOver {
            finish(.failed(call: "connect", errno: ECONNREFUSED))
        } else if prospects.hasRoom {
            finish(nil)
        } else {
            state.withLock { $0.readiness?.arm() }
        }
    }

    private func finish(_ error: L2CAPError?) {
        let continuation = state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            state.readiness?.cancel()
            state.readiness = nil
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: error)
    }
}
