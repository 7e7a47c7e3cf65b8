/// An error from the bus, or about it.
public struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error's name, such as `org.bluez.Error.Failed`.
    public let name: String
    /// Text for people, from whoever made the error.
    public let message: String
    /// What was being attempted: destination, object and method, for logs.
    public var context: String

    /// Makes an error.
    public init(name: String, message: String = "", context: String = "") {
        self.name = name
        self.message = message
        self.context = context
    }

    /// For logs.
    public var description: String { [context, name, message].filter { !$0.isEmpty }.joined(separator: ": ") }
}

extension DBusError {
    /// No reply came within the time allowed, or the one who owed it is gone.
    public static let noReply = "org.freedesktop.DBus.Error.NoReply"
    /// The bus cannot be reached, or the connection to it is gone.
    public static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
    /// Not allowed by the policy of the bus.
    public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// The bus did not accept who we are.
    public static let authFailed = "org.freedesktop.DBus.Error.AuthFailed"
    /// Nobody owns the name and it cannot be started.
    public static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    /// Nobody owns the name, and the call didn't allow to start a service.
    public static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    /// There is no such object.
    public static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    /// There is no such method.
    public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    /// There is no such interface.
    public static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    /// There is no such property.
    public static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    /// The arguments of a call, or the contents of a reply, are not what they should be.
    public static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    /// The property cannot be set.
    public static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
    /// Something went wrong that has no name of its own.
    public static let failed = "org.freedesktop.DBus.Error.Failed"
    /// A limit of the bus, or of this library on what the bus brings, is exceeded.
    public static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// The bus or the other side can't do that.
    public static let notSupported = "org.freedesktop.DBus.Error.NotSupported"
    /// The call was cancelled by the program.
    public static let cancelled = "flickit.Cancelled"
    /// The bus name belongs to somebody else.
    public static let nameTaken = "flickit.NameTaken"

    static var noMemory: DBusError { DBusError(name: "org.freedesktop.DBus.Error.NoMemory", message: "libdbus got no memory") }
}
