import DBus
import GATT
import Testing

@testable import BlueZ

@Suite("Requests of centrals, and errors in both directions (contract D.6)")
struct PeripheralRequestTests {
    private static let device = "/org/bluez/hci0/dev_80_E4_DA_12_34_56"

    private static func options(_ others: [String: DBusValue]) -> RequestOptions? {
        RequestOptions(.properties(["device": .objectPath(device)].merging(others) { $1 }))
    }

    @Test("Options that are not there have their usual values")
    func defaults() throws {
        let options = try #require(Self.options([:]))
        #expect(options.device == Self.device && options.offset == 0 && options.mtu == 23 && !options.isPreparing)
    }

    @Test("All options are read, whatever else there is")
    func all() throws {
        let options = try #require(
            Self.options([
                "offset": .uint16(22), "mtu": .uint16(517), "link": .string("LE"), "type": .string("request"), "prepare-authorize": .boolean(true),
            ])
        )
        #expect(options.offset == 22 && options.mtu == 517 && options.isPreparing)
    }

    @Test("Nonsense is not understood")
    func nonsense() {
        #expect(RequestOptions(nil) == nil)
        #expect(RequestOptions(.string("x")) == nil)
        #expect(RequestOptions(.properties([:])) == nil)
        #expect(RequestOptions(.properties(["device": .string("x")])) == nil)
        #expect(Self.options(["offset": .int32(-1)]) == nil)
        #expect(Self.options(["offset": .uint64(.max)]) == nil)
        #expect(Self.options(["mtu": .string("x")]) == nil)
        #expect(Self.options(["prepare-authorize": .uint16(1)]) == nil)
    }

    @Test("An MTU that cannot be is cut", arguments: [(0, 23), (22, 23), (24, 24), (0xFFFF, 0xFFFF), (0x1_0000, 0xFFFF), (-1, 23)])
    func mtu(told: Int32, taken: Int) {
        #expect(Self.options(["mtu": .int32(told)])?.mtu == taken)
    }

    @Test(
        "A device that is not in the tree is known by its path",
        arguments: [
            (device, "80:E4:DA:12:34:56"), ("/x", nil), ("/", nil), ("/dev_80_E4_DA_12_34", nil), ("/dev_80_E4_DA_12_34_5G", nil),
            ("/dev_80_E4_DA__12_34_56", nil),
        ]
    )
    func addressInPath(path: String, address: String?) throws {
        let options = try #require(RequestOptions(.properties(["device": .objectPath(path)])))
        #expect(options.addressInPath?.description == address)
    }

    @Test(
        "Errors for the central",
        arguments: [
            (.readNotPermitted, "NotPermitted", ""),
            (.writeNotPermitted, "NotPermitted", ""),
            (.invalidOffset, "InvalidOffset", ""),
            (.requestNotSupported, "NotSupported", ""),
            (.insufficientAuthorization, "NotAuthorized", ""),
            (.invalidValueLength, "InvalidValueLength", ""),
            (.procedureInProgress, "InProgress", ""),
            (.improperlyConfigured, "ImproperlyConfigured", ""),
            (.unlikely, "Failed", "0x0e"),
            (.application(0x80), "Failed", "0x80"),
            (.application(0x9F), "Failed", "0x9f"),
            (.application(0xA0), "Failed", "0x0e"),
            (.application(0x05), "Failed", "0x0e"),
        ] as [(ATTError, String, String)]
    )
    func errors(error: ATTError, name: String, message: String) {
        #expect(error.dbusError == DBusError(name: "org.bluez.Error." + name, message: message))
    }

    @Test(
        "Why something was not registered",
        arguments: [
            ("org.bluez.Error.NotReady", "Resource Not Ready", .notPoweredOn),
            ("org.bluez.Error.NotPermitted", "Maximum advertisements reached", .limitReached),
            ("org.bluez.Error.NotPermitted", "", .denied),
            ("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message", .denied),
            ("org.bluez.Error.InvalidLength", "Advertising data too long", .invalid),
            ("org.bluez.Error.Failed", "Failed to parse advertisement.", .invalid),
            ("org.bluez.Error.Failed", "No object received", .invalid),
            ("org.bluez.Error.Failed", "No valid service object found", .invalid),
            ("org.bluez.Error.Failed", "Failed to register advertisement", .failed),
            ("org.freedesktop.DBus.Error.NoReply", "", .failed),
            ("org.freedesktop.DBus.Error.UnknownObject", "", .notPoweredOn),
            ("com.example.Error", "", .failed),
        ] as [(String, String, PeripheralError.Code)]
    )
    func refusals(name: String, message: String, code: PeripheralError.Code) throws {
        let error = try #require(PeripheralError(DBusError(name: name, message: message, context: "org.bluez")))
        #expect(error.code == code)
        #expect(error.detail.hasPrefix("org.bluez: " + name))
    }

    @Test("What is registered already is registered")
    func alreadyThere() {
        #expect(PeripheralError(DBusError(name: "org.bluez.Error.AlreadyExists")) == nil)
    }

    @Test("Only a missing answer leaves open what bluetoothd did")
    func doubt() {
        #expect(DBusError(name: DBusError.noReply).leavesDoubt)
        #expect(!DBusError(name: "org.bluez.Error.Failed").leavesDoubt)
    }
}
