internal import CDBus
internal import EventLoops

/// libdbus's watches as sources on a loop.
///
/// libdbus closes its socket as soon as it has taken back the watches; the sources have descriptors of their own.
///
/// A watch may ask for reading, writing or both; each direction has its source. libdbus turns watches on and off all the time
/// (writing only while the socket is full), so a source is suspended rather than cancelled. All this happens on the queue, which
/// makes it certain that a source that is suspended or cancelled doesn't fire any more.
final class WatchSources {
    private let loop: DispatchLoop
    private let ready: (_ watch: OpaquePointer, _ flags: UInt32) -> Void
    private var sources: [OpaquePointer: [DescriptorSource]] = [:]

    /// - Parameter ready: The descriptor of a watch can be read or written.
    init(loop: DispatchLoop, ready: @escaping (_ watch: OpaquePointer, _ flags: UInt32) -> Void) {
        self.loop = loop
        self.ready = ready
    }

    /// Takes over the watches of a connection. This object must stay until ``detach(from:)``.
    func attach(to connection: OpaquePointer) -> Bool {
        dbus_connection_set_watch_functions(
            connection,
            { watch, data in
                guard let watch, let sources = WatchSources.from(data) else { return 0 }
                return sources.add(watch) ? 1 : 0
            },
            { watch, data in
                guard let watch, let sources = WatchSources.from(data) else { return }
                sources.remove(watch)
            },
            { watch, data in
                guard let watch, let sources = WatchSources.from(data) else { return }
                sources.update(watch)
            },
            Unmanaged.passUnretained(self).toOpaque(),
            nil
        ) != 0
    }

    /// Gives back what watches there are; libdbus doesn't call any more.
    func detach(from connection: OpaquePointer) {
        _ = dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> WatchSources? {
        data.map { Unmanaged<WatchSources>.fromOpaque($0).takeUnretainedValue() }
    }

    private func add(_ watch: OpaquePointer) -> Bool {
        let flags = dbus_watch_get_flags(watch)
        let descriptor = dbus_watch_get_unix_fd(watch)
        var made: [DescriptorSource] = []
        let directions = [(DBUS_WATCH_READABLE.rawValue, DescriptorSource.Direction.reading), (DBUS_WATCH_WRITABLE.rawValue, .writing)]
        for (flag, direction) in directions where flags & flag != 0 {
            let source = DescriptorSource(descriptor, direction, on: loop) { [ready] in ready(watch, flag) }
            guard let source else {
                made.forEach { $0.cancel() }
                return false  // libdbus takes this as a lack of memory
            }
            made.append(source)
        }
        sources[watch] = made
        update(watch)
        return true
    }

    private func update(_ watch: OpaquePointer) {
        let isEnabled = dbus_watch_get_enabled(watch) != 0
        sources[watch]?.forEach { $0.isRunning = isEnabled }
    }

    private func remove(_ watch: OpaquePointer) {
        sources.removeValue(forKey: watch)?.forEach { $0.cancel() }
    }
}
