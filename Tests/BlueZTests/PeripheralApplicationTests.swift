import DBus
import EventLoops
import GATT
import Testing

@testable import BlueZ

@Suite("Services as bluetoothd reads them (contract D45, D46)")
struct PeripheralApplicationTests {
    private static func characteristic(
        _ number: UInt64 = 1,
        _ flags: Set<LocalCharacteristic.Flag> = [.read],
        value: [UInt8]? = nil,
        descriptors: [(uuid: BluetoothUUID, value: [UInt8])] = []
    ) -> LocalCharacteristic {
        let uuid = BluetoothUUID(assigned: 0xFF00 + UInt16(truncatingIfNeeded: number))
        return LocalCharacteristic(id: AttributeID(number), uuid: uuid, flags: flags, value: value, descriptors: descriptors)
    }

    private static func service(_ characteristics: [LocalCharacteristic], includes: [Int] = []) -> LocalService {
        LocalService(uuid: BluetoothUUID(assigned: 0x180F), isPrimary: true, includes: includes, characteristics: characteristics)
    }

    @Test("Objects lie below each other and name their parents")
    func tree() {
        let description = BluetoothUUID(assigned: 0x2901)
        let services = [
            Self.service([Self.characteristic(1, [.read, .write], descriptors: [(description, [0x41])])]),
            Self.service([Self.characteristic(2, [.notify])], includes: [0]),
        ]
        let tree = ApplicationTree(services, root: "/a")
        #expect(
            tree.objects.map(\.path) == [
                "/a/service0000", "/a/service0000/char0000", "/a/service0000/char0000/desc0000", "/a/service0001", "/a/service0001/char0000",
            ]
        )
        #expect(
            tree.objects.map(\.properties) == [
                ["UUID": .string("0000180f-0000-1000-8000-00805f9b34fb"), "Primary": .boolean(true)],
                [
                    "UUID": .string("0000ff01-0000-1000-8000-00805f9b34fb"), "Service": .objectPath("/a/service0000"),
                    "Flags": .strings(["read", "write"]),
                ],
                [
                    "UUID": .string("00002901-0000-1000-8000-00805f9b34fb"), "Characteristic": .objectPath("/a/service0000/char0000"),
                    "Flags": .strings(["read"]),
                ],
                [
                    "UUID": .string("0000180f-0000-1000-8000-00805f9b34fb"), "Primary": .boolean(true),
                    "Includes": .array(of: "o", [.objectPath("/a/service0000")]),
                ],
                [
                    "UUID": .string("0000ff02-0000-1000-8000-00805f9b34fb"), "Service": .objectPath("/a/service0001"),
                    "Flags": .strings(["notify"]), "NotifyAcquired": .boolean(false),
                ],
            ]
        )
    }

    @Test("Paths sort in the order of the handles that they are to get, however many there are")
    func order() {
        let services = (0..<300).map { _ in Self.service([]) } + [Self.service((0..<20).map { Self.characteristic($0) })]
        let paths = ApplicationTree(services, root: "/a").objects.map(\.path)
        #expect(paths == paths.sorted())
    }

    @Test(
        "Flags have the names of bluetoothd; whoever can subscribe is asked for by NotifyAcquired (contract D80)",
        arguments: [
            ([.read], ["read"], false, false),
            ([.encryptRead, .encryptWrite], ["encrypt-read", "encrypt-write"], false, false),
            ([.writeWithoutResponse, .write], ["write", "write-without-response"], false, false),
            ([.write, .authorize], ["authorize", "write"], false, false),
            ([.authenticatedSignedWrites], ["authenticated-signed-writes"], false, false),
            ([.notify], ["notify"], true, false),
            ([.encryptNotify], ["encrypt-notify"], true, false),
            ([.indicate], ["indicate"], true, true),
            ([.encryptIndicate, .read], ["encrypt-indicate", "read"], true, true),
            ([.indicate, .notify], ["indicate", "notify"], true, false),
        ] as [(Set<LocalCharacteristic.Flag>, [String], Bool, Bool)]
    )
    func flags(flags: Set<LocalCharacteristic.Flag>, names: [String], isSubscribable: Bool, onlyIndicates: Bool) {
        let characteristic = Self.characteristic(1, flags)
        let properties = ApplicationTree([Self.service([characteristic])], root: "/a").objects[1].properties
        #expect(properties["Flags"]?.stringArray == names)
        #expect((properties["NotifyAcquired"] == .boolean(false)) == isSubscribable)
        #expect(characteristic.onlyIndicates == onlyIndicates)
    }

    @Test(
        "What bluetoothd would refuse or misunderstand is refused before",
        arguments: [
            ([], "no service"),
            ([service([characteristic(1), characteristic(1)])], "characteristic 0000ff01-0000-1000-8000-00805f9b34fb has the name of another one"),
            ([service([characteristic(9)])], "characteristic 0000ff09-0000-1000-8000-00805f9b34fb has the name of another one"),
            ([service([characteristic(1, [])])], "characteristic 0000ff01-0000-1000-8000-00805f9b34fb has no flags"),
            (
                [service([characteristic(1, value: [UInt8](repeating: 0, count: 513))])],
                "value of 0000ff01-0000-1000-8000-00805f9b34fb is longer than 512 bytes"
            ),
            (
                [service([characteristic(1, descriptors: [(BluetoothUUID(assigned: 0x2902), [0, 0])])])],
                "characteristic 0000ff01-0000-1000-8000-00805f9b34fb has a client configuration of its own"
            ),
            ([service([], includes: [0])], "service 0000180f-0000-1000-8000-00805f9b34fb includes one that does not come before it"),
            (
                [service([]), service([], includes: [0, -1])],
                "service 0000180f-0000-1000-8000-00805f9b34fb includes one that does not come before it"
            ),
        ] as [([LocalService], String)]
    )
    func problems(services: [LocalService], problem: String) {
        #expect(ApplicationTree.problem(with: services, taken: [AttributeID(9)]) == problem)
    }

    @Test("Nothing is wrong with services that make sense")
    func noProblem() {
        let services = [Self.service([Self.characteristic(1, value: [UInt8](repeating: 0, count: 512))]), Self.service([], includes: [0])]
        #expect(ApplicationTree.problem(with: services, taken: [AttributeID(9)]) == nil)
    }
}
