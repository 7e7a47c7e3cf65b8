internal import CDBus
internal import EventLoops

/// libdbus's timeouts (it has one for each call under way) as timers of a loop.
///
/// `@unchecked Sendable`: it is only used on the loop.
final class TimeoutSources: @unchecked Sendable {
    private let loop: DispatchLoop
    private let elapsed: (_ timeout: OpaquePointer) -> Void
    private var timers: [OpaquePointer: ScheduledWork] = [:]

    /// - Parameter elapsed: The time of a timeout is over.
    init(loop: DispatchLoop, elapsed: @escaping (_ timeout: OpaquePointer) -> Void) {
        self.loop = loop
        self.elapsed = elapsed
    }

    /// Takes over the timeouts of a connection. This object must stay until ``detach(from:)``.
    func attach(to connection: OpaquePointer) -> Bool {
        dbus_connection_set_timeout_functions(
            connection,
            { timeout, data in
                guard let timeout, let sources = TimeoutSources.from(data) else { return 0 }
                sources.update(timeout)
                return 1
            },
            { timeout, data in
                guard let timeout, let sources = TimeoutSources.from(data) else { return }
                sources.stop(timeout)
            },
            { timeout, data in
                guard let timeout, let sources = TimeoutSources.from(data) else { return }
                sources.update(timeout)
            },
            Unmanaged.passUnretained(self).toOpaque(),
            nil
        ) != 0
    }

    /// Gives back what timeouts there are; libdbus doesn't call any more.
    func detach(from connection: OpaquePointer) {
        _ = dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> TimeoutSources? {
        data.map { Unmanaged<TimeoutSources>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Starts the time anew, or stops it, as libdbus has it now.
    private func update(_ timeout: OpaquePointer) {
        stop(timeout)
        guard dbus_timeout_get_enabled(timeout) != 0 else { return }
        let interval = Duration.milliseconds(max(1, Int(dbus_timeout_get_interval(timeout))))
        nonisolated(unsafe) let timeout = timeout  // libdbus keeps it until it is stopped
        timers[timeout] = loop.schedule(after: interval) { [weak self] in
            guard let self else { return }
            // A timeout goes off again and again, unless libdbus takes it back, as it does with that of a call.
            update(timeout)
            elapsed(timeout)
        }
    }

    private func stop(_ timeout: OpaquePointer) {
        timers.removeValue(forKey: timeout)?.cancel()
    }
}
