internal import CDBus
@preconcurrency internal import Dispatch
internal import Glibc

/// libdbus's watches as dispatch sources on the queue of a loop.
///
/// libdbus closes its socket as soon as it has taken back the watches, but a dispatch source needs its descriptor until its
/// cancel handler has run, which is later. So each source watches a *duplicate*, which it closes itself in that handler: whenever
/// libdbus closes its own, no source is ever left with a descriptor that is closed, or that by then means another file.
///
/// A watch may ask for reading, writing or both; each direction has its source. libdbus turns watches on and off all the time
/// (writing only while the socket is full), so a source is suspended rather than cancelled. All this happens on the queue, which
/// makes it certain that a source that is suspended or cancelled doesn't fire any more.
final class WatchSources {
    private let queue: DispatchQueue
    private let ready: (_ watch: OpaquePointer, _ flags: UInt32) -> Void
    private var sources: [OpaquePointer: [WatchSource]] = [:]

    /// - Parameter ready: The descriptor of a watch can be read or written.
    init(queue: DispatchQueue, ready: @escaping (_ watch: OpaquePointer, _ flags: UInt32) -> Void) {
        self.queue = queue
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
        var made: [WatchSource] = []
        for direction in [DBUS_WATCH_READABLE.rawValue, DBUS_WATCH_WRITABLE.rawValue] where flags & direction != 0 {
            let ready = ready
            let source = WatchSource(descriptor, writing: direction == DBUS_WATCH_WRITABLE.rawValue, queue: queue) { ready(watch, direction) }
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

/// One direction of a watch.
private final class WatchSource {
    private let source: any DispatchSourceProtocol

    /// Whether it fires. Starts with false.
    var isRunning = false {
        didSet {
            guard isRunning != oldValue else { return }
            if isRunning { source.resume() } else { source.suspend() }
        }
    }

    /// Nil if the descriptor cannot be duplicated.
    init?(_ descriptor: Int32, writing: Bool, queue: DispatchQueue, ready: @escaping () -> Void) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        source =
            writing
            ? DispatchSource.makeWriteSource(fileDescriptor: duplicate, queue: queue)
            : DispatchSource.makeReadSource(fileDescriptor: duplicate, queue: queue)
        source.setEventHandler(handler: ready)
        source.setCancelHandler { close(duplicate) }
    }

    /// To be called once, at the end.
    func cancel() {
        source.cancel()
        isRunning = true  // a suspended source neither calls its cancel handler nor may be freed
    }
}
