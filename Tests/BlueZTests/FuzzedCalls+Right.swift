import DBus

@testable import BlueZ

/// What has to come of a call.
extension FuzzedCalls {
    static let ok: Set = ["ok"]

    /// The longest value of an attribute, in bytes.
    private static let longestValue = 512

    /// - Parameters:
    ///   - object: Nil if there is none at the path.
    ///   - meaning: Of the options; nil if they have none.
    ///   - count: Bytes that are to be written.
    static func right(_ call: Call, at object: Object?, meaning: Options?, count: Int) -> Set<String> {
        guard let object else { return [DBusError.unknownObject] }
        switch call.interface {
        case standard + "Properties": return rightOfProperties(call, object)
        // Neither looks at arguments that it does not take.
        case standard + "Introspectable": return call.member == "Introspect" ? ok : [DBusError.unknownMethod]
        case standard + "ObjectManager": return object.isRoot && call.member == "GetManagedObjects" ? ok : [DBusError.unknownMethod]
        case "" where call.member == "Introspect": return ok
        case "": break
        default: guard call.interface == object.interface else { return [DBusError.unknownInterface] }
        }
        guard let signature = signature(of: call.member, call.interface, at: object) else { return [DBusError.unknownMethod] }
        guard call.arguments.map(\.signature).joined() == signature else { return [DBusError.invalidArguments] }
        guard signature != "" else { return ok }
        guard let meaning else { return [DBusError.invalidArguments] }
        return switch call.member {
        case "AcquireNotify": [bluez + "Error.NotSupported"]
        case "ReadValue": meaning.offset > object.length ? [bluez + "Error.InvalidOffset"] : ok
        default: rightOfWrite(meaning, count: count)
        }
    }

    private static func rightOfWrite(_ meaning: Options, count: Int) -> Set<String> {
        if meaning.isPreparing { return ok }
        if meaning.offset > longestValue { return [bluez + "Error.InvalidOffset"] }
        return meaning.offset + count > longestValue ? [bluez + "Error.InvalidValueLength"] : ok
    }

    /// None of our properties can be written.
    private static func rightOfProperties(_ call: Call, _ object: Object) -> Set<String> {
        guard let signature = signatures[call.interface]?[call.member] else { return [DBusError.unknownMethod] }
        guard call.arguments.count == signature.count, case .string(let interface) = call.arguments[0] else { return [DBusError.invalidArguments] }
        guard interface == object.interface else { return [DBusError.unknownInterface] }
        guard call.member != "GetAll" else { return ok }
        guard case .string(let name) = call.arguments[1] else { return [DBusError.invalidArguments] }
        let isThere = object.properties.contains(name)
        if call.member == "Get" { return isThere ? ok : [DBusError.unknownProperty] }
        guard case .variant = call.arguments[2] else { return [DBusError.invalidArguments] }
        return [isThere ? DBusError.propertyReadOnly : DBusError.unknownProperty]
    }
}
