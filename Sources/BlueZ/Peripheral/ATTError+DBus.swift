import DBus
import GATT

extension ATTError {
    /// The error that makes bluetoothd send this one to the central (contract D.6).
    var dbusError: DBusError {
        switch self {
        // bluetoothd makes 0x02 or 0x03 of it, whichever the request was.
        case .readNotPermitted, .writeNotPermitted: DBusError(name: "org.bluez.Error.NotPermitted")
        case .invalidOffset: DBusError(name: "org.bluez.Error.InvalidOffset")
        case .requestNotSupported: DBusError(name: "org.bluez.Error.NotSupported")
        case .insufficientAuthorization: DBusError(name: "org.bluez.Error.NotAuthorized")
        case .invalidValueLength: DBusError(name: "org.bluez.Error.InvalidValueLength")
        case .procedureInProgress: DBusError(name: "org.bluez.Error.InProgress")
        // Known to 5.76 and later; before, the central gets 0x0E.
        case .improperlyConfigured: DBusError(name: "org.bluez.Error.ImproperlyConfigured")
        // The number is the message; a message that is none would arrive as 0x80.
        case .application(let code) where (0x80...0x9F).contains(code):
            DBusError(name: "org.bluez.Error.Failed", message: "0x" + String(code, radix: 16))
        case .application, .unlikely: DBusError(name: "org.bluez.Error.Failed", message: "0x0e")
        }
    }
}
