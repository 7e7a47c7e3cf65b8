import DBus

/// Why the bus cannot be used.
package enum BusTrouble: Sendable, Equatable, CaseIterable {
    /// There is no socket at the address.
    case noSocket
    /// There is a socket, but nobody behind it.
    case nobodyListens
    /// The address is not one.
    case invalidAddress
    /// The system does not let us open the socket.
    case socketDenied
    /// The bus does not believe who we are: EXTERNAL authentication failed, as where user numbers are mapped.
    case identityRejected
    /// AppArmor keeps us from talking to the bus.
    case appArmor
    /// The bus does not let us in.
    case policy
    /// The bus has as many connections as it takes.
    case full
    /// It accepts and says nothing.
    case silent
    /// Anything else.
    case failed
}

/// Why bluetoothd cannot be used, on a bus that can.
package enum ServiceTrouble: Sendable, Equatable, CaseIterable {
    /// Nobody has its name, and the bus cannot start it.
    case notRunning
    /// The bus would start it by systemd, which does not know its unit: it is not enabled (bluez/bluez#2384).
    case disabled
    /// Its unit is masked.
    case masked
    /// It was asked to start and did not come up, as where systemd waits for an adapter (blueman-project/blueman#678).
    case startTimedOut
    /// Its start failed.
    case startFailed
    /// It has its name and does not answer.
    case hung
    /// It left the bus when it was asked.
    case gone
    /// AppArmor keeps us from talking to it (home-assistant/core#76392).
    case appArmor
    /// The policy of the bus does so.
    case policy
    /// It does not know the object manager, as versions before 5.0.
    case old
    /// Its answer makes no sense.
    case senseless
    /// Anything else.
    case failed
}

extension BusTrouble {
    /// - Parameter error: Why a connection was not made.
    init(_ error: DBusError) {
        self =
            switch error.name {
            case "org.freedesktop.DBus.Error.FileNotFound": .noSocket
            case "org.freedesktop.DBus.Error.NoServer": .nobodyListens
            case "org.freedesktop.DBus.Error.BadAddress": .invalidAddress
            case DBusError.authFailed: .identityRejected
            case DBusError.limitsExceeded: .full
            case DBusError.noReply: .silent
            case DBusError.accessDenied where error.message.contains("AppArmor"): .appArmor
            case DBusError.accessDenied where error.context.hasSuffix(".Hello"): .policy
            case DBusError.accessDenied: .socketDenied
            default: .failed
            }
    }

    /// - Parameter error: Why the bus itself did not answer a call.
    init(asking error: DBusError) {
        self = error.name == DBusError.accessDenied && !error.message.contains("AppArmor") ? .policy : BusTrouble(error)
    }
}

extension ServiceTrouble {
    /// - Parameter error: Why the bus did not start it.
    init(starting error: DBusError) {
        self =
            switch error.name {
            // dbus-broker says so in the text only.
            case _ where error.name.hasSuffix(".NoSuchUnit") || error.message.contains("unknown unit"): .disabled
            case _ where error.name.hasSuffix(".UnitMasked") || error.message.contains("masked"): .masked
            case DBusError.noReply, "org.freedesktop.DBus.Error.TimedOut": .startTimedOut
            case DBusError.serviceUnknown, DBusError.nameHasNoOwner: .notRunning
            case DBusError.accessDenied: ServiceTrouble(denied: error)
            default: .startFailed
            }
    }

    /// - Parameter error: Why it did not tell its objects.
    init(asking error: DBusError) {
        self =
            switch error.name {
            case DBusError.noReply where error.message.contains("disconnected"): .gone
            case DBusError.noReply: .hung
            case DBusError.serviceUnknown, DBusError.nameHasNoOwner, DBusError.disconnected: .gone
            case DBusError.accessDenied: ServiceTrouble(denied: error)
            case DBusError.unknownMethod, DBusError.unknownObject, DBusError.unknownInterface: .old
            case DBusError.limitsExceeded: .senseless
            default: .failed
            }
    }

    private init(denied error: DBusError) { self = error.message.contains("AppArmor") ? .appArmor : .policy }
}

extension DBusError {
    /// What it says, for people: bounded, and without what could move a cursor.
    var words: String {
        String((message.isEmpty ? name : message).unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init).prefix(300))
    }
}
