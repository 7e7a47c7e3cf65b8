internal import CDBus

/// A message of libdbus.
///
/// Owns one reference to the `DBusMessage`, which it gives back at the end of its life.
/// `@unchecked Sendable`: libdbus counts references atomically, and a message is only changed by the one function that makes it.
package final class Message: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// Adds a reference to a message that libdbus lends during a callback.
    init(borrowing pointer: OpaquePointer) {
        self.pointer = dbus_message_ref(pointer)
    }

    deinit { dbus_message_unref(pointer) }

    // MARK: What it says

    var isSignal: Bool { dbus_message_get_type(pointer) == DBUS_MESSAGE_TYPE_SIGNAL }
    var isError: Bool { dbus_message_get_type(pointer) == DBUS_MESSAGE_TYPE_ERROR }
    var sender: String? { dbus_message_get_sender(pointer).map { String(cString: $0) } }
    var path: String? { dbus_message_get_path(pointer).map { String(cString: $0) } }
    var interface: String? { dbus_message_get_interface(pointer).map { String(cString: $0) } }
    var member: String? { dbus_message_get_member(pointer).map { String(cString: $0) } }
    var errorName: String? { dbus_message_get_error_name(pointer).map { String(cString: $0) } }
    var serial: UInt32 { dbus_message_get_serial(pointer) }
    var wantsReply: Bool { dbus_message_get_no_reply(pointer) == 0 }
    var carriesDescriptors: Bool { dbus_message_contains_unix_fds(pointer) != 0 }

    /// libdbus itself says that the connection has ended.
    var isDisconnected: Bool { dbus_message_is_signal(pointer, "org.freedesktop.DBus.Local", "Disconnected") != 0 }

    /// The arguments.
    package func arguments() throws(DBusError) -> [DBusValue] { try MessageReader.read(self) }

    /// The error that an error message tells.
    var error: DBusError {
        let text = (try? arguments())?.first?.string
        return DBusError(name: errorName ?? DBusError.failed, message: text ?? "")
    }
}

extension Message {
    // MARK: Making messages

    static func call(_ call: MethodCall, wantsReply: Bool = true) throws(DBusError) -> Message {
        guard
            BusSyntax.isBusName(call.destination), BusSyntax.isPath(call.path), BusSyntax.isMember(call.member),
            call.interface.isEmpty || BusSyntax.isInterface(call.interface),
            !BusSyntax.isReserved(path: call.path, interface: call.interface)
        else { throw DBusError(name: DBusError.invalidArguments, message: "Not a valid destination, path or method") }
        let interface = call.interface.isEmpty ? nil : call.interface
        let message = try Message(dbus_message_new_method_call(call.destination, call.path, interface, call.member))
        dbus_message_set_auto_start(message.pointer, call.mayStart ? 1 : 0)
        dbus_message_set_no_reply(message.pointer, wantsReply ? 0 : 1)
        try MessageWriter.write(call.arguments, into: message)
        return message
    }

    package static func signal(_ signal: Signal) throws(DBusError) -> Message {
        guard
            BusSyntax.isPath(signal.path), BusSyntax.isInterface(signal.interface), BusSyntax.isMember(signal.member),
            !BusSyntax.isReserved(path: signal.path, interface: signal.interface)
        else { throw DBusError(name: DBusError.invalidArguments, message: "Not a valid path or signal") }
        let message = try Message(dbus_message_new_signal(signal.path, signal.interface, signal.member))
        try MessageWriter.write(signal.arguments, into: message)
        return message
    }

    /// The answer to a call, made without the call's message so that a pending answer doesn't keep its body in memory.
    static func answer(_ result: Result<[DBusValue], DBusError>, to sender: String, serial: UInt32) throws(DBusError) -> Message {
        let message: Message
        switch result {
        case .success(let values):
            message = try Message(dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN))
            try MessageWriter.write(values, into: message)
        case .failure(let error):
            message = try Message(dbus_message_new(DBUS_MESSAGE_TYPE_ERROR))
            let name = BusSyntax.isErrorName(error.name) ? error.name : DBusError.failed
            try allocated(dbus_message_set_error_name(message.pointer, name))
            let text = BusSyntax.isText(error.message) ? error.message : ""
            try MessageWriter.write([.string(text)], into: message)
        }
        dbus_message_set_no_reply(message.pointer, 1)
        try allocated(dbus_message_set_destination(message.pointer, sender))
        try allocated(dbus_message_set_reply_serial(message.pointer, serial))
        return message
    }

    private convenience init(_ made: OpaquePointer?) throws(DBusError) {
        guard let made else { throw .noMemory }
        self.init(owning: made)
    }

    private static func allocated(_ done: dbus_bool_t) throws(DBusError) {
        if done == 0 { throw .noMemory }
    }
}
