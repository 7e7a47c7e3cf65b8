internal import CDBus

/// A call that libdbus waits for: owns one reference to the `DBusPendingCall`, and calls it off at the end of its life.
final class PendingReply {
    private let pending: OpaquePointer

    /// - Parameters:
    ///   - pending: The reference is taken over.
    ///   - handler: Called at most once, with the reply or an error that libdbus makes. libdbus keeps it as long as it keeps the pending call.
    init?(owning pending: OpaquePointer, handler: @escaping (Message) -> Void) {
        self.pending = pending
        let box = Unmanaged.passRetained(Box(handler))
        let done = dbus_pending_call_set_notify(
            pending,
            { pending, box in
                guard let pending, let box, let reply = dbus_pending_call_steal_reply(pending) else { return }
                Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().handler(Message(owning: reply))
            },
            box.toOpaque(),
            { box in
                if let box { Unmanaged<Box>.fromOpaque(box).release() }
            }
        )
        guard done != 0 else {
            box.release()
            return nil
        }
    }

    deinit {
        if dbus_pending_call_get_completed(pending) == 0 { dbus_pending_call_cancel(pending) }
        dbus_pending_call_unref(pending)
    }

    private final class Box {
        let handler: (Message) -> Void
        init(_ handler: @escaping (Message) -> Void) { self.handler = handler }
    }
}
