internal import CDBus
internal import Dispatch
internal import EventLoops
internal import Glibc

/// libdbus's connection to a bus, driven by dispatch sources on the queue of a loop.
///
/// Owns one reference to a private `DBusConnection`, which it closes at the end of its life.
/// `@unchecked Sendable`: it is made on one thread, handed over once, and from ``start(on:receive:)`` on only used on the loop.
final class PrivateConnection: @unchecked Sendable {
    private var connection: OpaquePointer?
    private var watches: WatchSources?
    private var timeouts: TimeoutSources?
    private var loop: DispatchLoop?
    private var receive: ((Message) -> Void)?
    private var replies: [UInt64: PendingReply] = [:]
    private var isDispatching = false
    private var dispatchIsScheduled = false
    /// Whether what is received is kept back.
    var isPaused = false { didSet { if !isPaused { scheduleDispatch() } } }

    // MARK: Life

    /// Connects the socket, which may block: on a Unix socket if its listener doesn't accept, with other transports also otherwise.
    init(to address: BusAddress) throws(DBusError) {
        guard Self.threadsAreSafe else { throw .noMemory }
        guard let address = address.text() else { throw DBusError(name: DBusError.disconnected, message: "There is no such bus") }
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let opened = dbus_connection_open_private(address, &error) else {
            let name = error.name.map { String(cString: $0) } ?? DBusError.disconnected
            throw DBusError(name: name, message: error.message.map { String(cString: $0) } ?? "", context: address)
        }
        dbus_connection_set_exit_on_disconnect(opened, 0)
        connection = opened
    }

    deinit { close() }

    /// libdbus may now be used from several threads: each connection has its own loop, but they share the library. And it leaves
    /// SIGPIPE as it is, since it doesn't raise it on Linux.
    private static let threadsAreSafe: Bool = {
        dbus_connection_set_change_sigpipe(0)
        return dbus_threads_init_default() != 0
    }()

    /// Begins to read and write. To be called on the loop, like everything from here on.
    /// - Parameter receive: Is given calls to us and signals, in the order of the bus, also with regard to the replies.
    func start(on loop: DispatchLoop, receive: @escaping (Message) -> Void) throws(DBusError) {
        guard let connection else { return }
        self.loop = loop
        self.receive = receive
        let watches = WatchSources(loop: loop) { [weak self] in self?.handle(watch: $0, flags: $1) }
        let timeouts = TimeoutSources(loop: loop) { [weak self] in self?.handle(timeout: $0) }
        self.watches = watches
        self.timeouts = timeouts
        let data = Unmanaged.passUnretained(self).toOpaque()
        let isFiltering = dbus_connection_add_filter(connection, Self.filter, data, nil) != 0
        dbus_connection_set_dispatch_status_function(
            connection,
            { _, status, data in
                guard status == DBUS_DISPATCH_DATA_REMAINS, let data else { return }
                Unmanaged<PrivateConnection>.fromOpaque(data).takeUnretainedValue().scheduleDispatch()
            },
            data,
            nil
        )
        guard isFiltering, watches.attach(to: connection), timeouts.attach(to: connection) else { throw .noMemory }
        scheduleDispatch()
    }

    /// Ends the connection. Nothing is received any more; calls are not answered.
    func close() {
        guard let connection else { return }
        self.connection = nil
        let data = Unmanaged.passUnretained(self).toOpaque()
        if loop != nil {
            dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
            if receive != nil { dbus_connection_remove_filter(connection, Self.filter, data) }
        }
        replies = [:]
        // The bus is to see the end at once, not when the last copy of the descriptor is closed: a program that is just being started has one, too.
        var socket: Int32 = -1
        if dbus_connection_get_socket(connection, &socket) != 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        dbus_connection_close(connection)
        watches?.detach(from: connection)
        timeouts?.detach(from: connection)
        dbus_connection_unref(connection)
    }

    // MARK: Sending

    /// Whether libdbus still has the socket.
    var isConnected: Bool { connection.map { dbus_connection_get_is_connected($0) != 0 } ?? false }

    /// Whether the bus has accepted who we are.
    var isAuthenticated: Bool { connection.map { dbus_connection_get_is_authenticated($0) != 0 } ?? false }

    /// Takes down the name that the bus has given us.
    func setUniqueName(_ name: String) {
        if let connection { _ = dbus_bus_set_unique_name(connection, name) }
    }

    /// Sends a message that needs no reply.
    func send(_ message: Message) throws(DBusError) {
        let connection = try connection(for: message)
        guard dbus_connection_send(connection, message.pointer, nil) != 0 else { throw .noMemory }
    }

    /// Sends a call.
    /// - Parameters:
    ///   - timeout: Milliseconds; the largest number means for ever.
    ///   - number: For ``giveUp(_:)``.
    ///   - reply: Called once while messages are received, never from here; not at all after the call was given up or the connection closed.
    func call(_ message: Message, timeout: Int32, as number: UInt64, reply: @escaping (Message) -> Void) throws(DBusError) {
        let connection = try connection(for: message)
        var pending: OpaquePointer?
        guard dbus_connection_send_with_reply(connection, message.pointer, &pending, timeout) != 0 else { throw .noMemory }
        guard let pending else { throw .isDisconnected }
        let waiting = PendingReply(owning: pending) { [weak self] message in
            self?.replies[number] = nil
            reply(message)
        }
        guard let waiting else { throw .noMemory }
        replies[number] = waiting
    }

    /// Doesn't wait for a reply any more.
    func giveUp(_ number: UInt64) {
        replies[number] = nil
    }

    private func connection(for message: Message) throws(DBusError) -> OpaquePointer {
        guard let connection, dbus_connection_get_is_connected(connection) != 0 else { throw .isDisconnected }
        if message.carriesDescriptors, dbus_connection_can_send_type(connection, Int32(UInt8(ascii: "h"))) == 0 {
            throw DBusError(name: DBusError.notSupported, message: "This bus doesn't carry file descriptors")
        }
        return connection
    }

    // MARK: Receiving

    private func handle(watch: OpaquePointer, flags: UInt32) {
        dbus_watch_handle(watch, flags)
        dispatch()
    }

    private func handle(timeout: OpaquePointer) {
        dbus_timeout_handle(timeout)
        dispatch()
    }

    /// Delivers all messages that have been read. This is done right where they were read, without another turn of the loop.
    private func dispatch() {
        guard !isDispatching, !isPaused, let connection else { return }
        isDispatching = true
        dbus_connection_ref(connection)  // a handler may close it
        while self.connection != nil, !isPaused, dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS {}
        dbus_connection_unref(connection)
        isDispatching = false
    }

    /// libdbus says that there are messages. It does so in the middle of its work, where it must not be told to deliver them.
    private func scheduleDispatch() {
        guard !isDispatching, !dispatchIsScheduled, let loop else { return }
        dispatchIsScheduled = true
        loop.execute { [weak self] in
            self?.dispatchIsScheduled = false
            self?.dispatch()
        }
    }

    /// Sees each message first. Replies are left to libdbus, which knows the pending calls.
    private static let filter: DBusHandleMessageFunction = { _, message, data in
        guard let message, let data else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
        switch dbus_message_get_type(message) {
        case DBUS_MESSAGE_TYPE_SIGNAL, DBUS_MESSAGE_TYPE_METHOD_CALL:
            Unmanaged<PrivateConnection>.fromOpaque(data).takeUnretainedValue().receive?(Message(borrowing: message))
            return DBUS_HANDLER_RESULT_HANDLED
        default:
            return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
        }
    }
}

extension DBusError {
    static var isDisconnected: DBusError { DBusError(name: disconnected, message: "There is no connection to the bus") }
}
