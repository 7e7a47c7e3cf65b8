import DBus
import GATT

extension PeripheralError {
    /// Why bluetoothd did not register something (contract D.4, D56); nil if that error means that it is registered.
    init?(_ error: DBusError) {
        let code: Code? =
            switch error.name {
            case "org.bluez.Error.AlreadyExists": nil
            case "org.bluez.Error.NotReady", DBusError.unknownObject, DBusError.serviceUnknown, DBusError.disconnected: .notPoweredOn
            case "org.bluez.Error.NotPermitted" where error.message.contains("aximum"): .limitReached
            case "org.bluez.Error.NotPermitted", "org.bluez.Error.NotAuthorized", DBusError.accessDenied: .denied
            case "org.bluez.Error.InvalidArguments", "org.bluez.Error.InvalidLength": .invalid
            case "org.bluez.Error.Failed" where Self.isAboutContents(error.message): .invalid
            default: .failed
            }
        guard let code else { return nil }
        self.init(code, detail: error.description)
    }

    private static func isAboutContents(_ message: String) -> Bool {
        message.contains("No object received") || message.contains("No valid service") || message.contains("parse advertisement")
    }
}

extension DBusError {
    /// The call may have its effect all the same.
    var leavesDoubt: Bool { name == Self.noReply || name == Self.cancelled }
}
