import DBus
import GATT
import Testing

@testable import BlueZ

@Suite("The object tree of org.bluez")
struct ObjectTreeTests {
    private static let hci0 = "/org/bluez/hci0"
    private static let device = "/org/bluez/hci0/dev_80_E4_DA_12_34_56"

    private static func managed(_ objects: [String: [String: [String: DBusValue]]]) -> DBusValue {
        .dictionary(
            key: "o",
            value: "a{sa{sv}}",
            Dictionary(uniqueKeysWithValues: objects.map { (.objectPath($0), interfaces($1)) })
        )
    }

    private static func interfaces(_ interfaces: [String: [String: DBusValue]]) -> DBusValue {
        .dictionary(key: "s", value: "a{sv}", Dictionary(uniqueKeysWithValues: interfaces.map { (.string($0), .properties($1)) }))
    }

    private static func changed(_ interface: String, _ values: [String: DBusValue], _ invalidated: [String] = [], at path: String) -> Signal {
        Signal(
            at: path,
            "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            [
                .string(interface), .properties(values), .strings(invalidated),
            ]
        )
    }

    private static func tree() -> ObjectTree {
        var tree = ObjectTree()
        _ = tree.replace(
            with: managed([
                hci0: [BlueZName.adapter: ["Powered": .boolean(true), "Address": .string("00:AA:01:00:00:00")]],
                device: [
                    BlueZName.device: [
                        "Address": .string("80:E4:DA:12:34:56"), "AddressType": .string("public"), "Adapter": .objectPath(hci0),
                        "Connected": .boolean(false), "RSSI": .int16(-60),
                    ]
                ],
            ])
        )
        return tree
    }

    @Test("Everything is new the first time, and nothing the second")
    func replace() {
        var tree = ObjectTree()
        let objects = Self.managed([Self.hci0: [BlueZName.adapter: ["Powered": .boolean(true)], "org.bluez.Media1": [:]]])
        #expect(tree.replace(with: objects) == [.added(path: Self.hci0, interface: BlueZName.adapter, ["Powered": .boolean(true)])])
        #expect(tree.replace(with: objects) == [])
        #expect(
            tree.replace(with: Self.managed([:])) == [
                .removed(path: Self.hci0, interface: BlueZName.adapter, ["Powered": .boolean(true)])
            ]
        )
    }

    @Test("A resync tells just what is different")
    func resync() {
        var tree = Self.tree()
        let changes = tree.replace(
            with: Self.managed([
                Self.hci0: [BlueZName.adapter: ["Powered": .boolean(false)]],
                "/org/bluez/hci1": [BlueZName.adapter: ["Powered": .boolean(true)]],
            ])
        )
        #expect(changes?.count == 3)
        #expect(
            changes?.contains(.changed(path: Self.hci0, interface: BlueZName.adapter, ["Powered": .boolean(false)], invalidated: ["Address"])) == true
        )
        #expect(tree.properties(Self.device, BlueZName.device) == nil)
    }

    @Test("Signals: added, changed, invalidated, removed")
    func signals() {
        var tree = Self.tree()
        #expect(
            tree.apply(Self.changed(BlueZName.device, ["Connected": .boolean(true)], ["RSSI"], at: Self.device)) == [
                .changed(path: Self.device, interface: BlueZName.device, ["Connected": .boolean(true)], invalidated: ["RSSI"])
            ]
        )
        #expect(tree.isTrue("Connected", of: Self.device))
        #expect(tree.properties(Self.device, BlueZName.device)?["RSSI"] == nil)
        let removed = Signal(
            at: "/",
            BlueZName.objectManager,
            "InterfacesRemoved",
            [
                .objectPath(Self.device), .strings([BlueZName.device, "org.freedesktop.DBus.Properties"]),
            ]
        )
        #expect(tree.apply(removed).count == 1)
        #expect(tree.apply(removed) == [])
        #expect(tree.device(BluetoothAddress("80:E4:DA:12:34:56")!, on: Self.hci0) == nil)
    }

    @Test("An interface announced twice has changed, but is not new")
    func announcedTwice() {
        var tree = Self.tree()
        let added = Signal(
            at: "/",
            BlueZName.objectManager,
            "InterfacesAdded",
            [
                .objectPath(Self.hci0), Self.interfaces([BlueZName.adapter: ["Powered": .boolean(true)]]),
            ]
        )
        // With all that it has, so what is not there is no more.
        let properties: ObjectTree.Properties = ["Powered": .boolean(true)]
        #expect(tree.apply(added) == [.changed(path: Self.hci0, interface: BlueZName.adapter, properties, invalidated: ["Address"])])
        #expect(tree.properties(Self.hci0, BlueZName.adapter) == properties)
    }

    @Test(
        "What is malformed, foreign or about unknown objects changes nothing",
        arguments: [
            Signal(at: "/", BlueZName.objectManager, "InterfacesAdded", []),
            Signal(at: "/", BlueZName.objectManager, "InterfacesAdded", [.string("/x"), .properties([:])]),
            Signal(at: "/", BlueZName.objectManager, "InterfacesAdded", [.objectPath("/x"), .int32(1)]),
            Signal(at: "/", BlueZName.objectManager, "InterfacesAdded", [.objectPath("/x"), .properties([BlueZName.device: .int32(1)])]),
            Signal(at: "/", BlueZName.objectManager, "InterfacesRemoved", [.objectPath("/x"), .int32(1)]),
            Signal(at: hci0, BlueZName.properties, "PropertiesChanged", [.int32(1)]),
            Signal(at: hci0, BlueZName.properties, "PropertiesChanged", [.string(BlueZName.adapter), .strings(["x"])]),
            Signal(
                at: "/unknown",
                BlueZName.properties,
                "PropertiesChanged",
                [.string(BlueZName.adapter), .properties(["Powered": .boolean(false)])]
            ),
            Signal(at: hci0, "org.example.Other", "PropertiesChanged", [.string(BlueZName.adapter), .properties(["Powered": .boolean(false)])]),
        ]
    )
    func malformed(_ signal: Signal) {
        var tree = Self.tree()
        #expect(tree.apply(signal) == [])
        #expect(tree == Self.tree())
    }

    @Test("An answer that is no tree is refused and changes nothing", arguments: [nil, .int32(1), .strings(["x"])] as [DBusValue?])
    func malformedAnswer(_ answer: DBusValue?) {
        var tree = Self.tree()
        #expect(tree.replace(with: answer) == nil)
        #expect(tree == Self.tree())
    }

    @Test("Properties of wrong types are as good as missing")
    func wrongTypes() {
        var tree = ObjectTree()
        _ = tree.replace(
            with: Self.managed([
                Self.hci0: [BlueZName.adapter: ["Powered": .string("yes"), "Roles": .int32(1)]],
                Self.device: [
                    BlueZName.device: [
                        "Address": .int32(1), "Adapter": .string(Self.hci0), "UUIDs": .int32(1), "ManufacturerData": .strings([]),
                        "Name": .bytes([1]),
                    ]
                ],
            ])
        )
        #expect(tree.advertisement(of: Self.device) == nil)
        #expect(AdapterChoice.automatic.path(in: tree, present: nil) == Self.hci0)
    }

    @Test("An advertisement is read from Device1")
    func advertisement() throws {
        var tree = Self.tree()
        _ = tree.apply(
            Self.changed(
                BlueZName.device,
                [
                    "Name": .string("F208d1wF"), "UUIDs": .strings(["00420000-8f59-4420-870d-84f3b617e493", "nonsense"]),
                    "ManufacturerData": .dictionary(key: "q", value: "v", [.uint16(0x030F): .variant(.bytes([1, 2, 3, 4, 2]))]),
                    "Connected": .boolean(true),
                ],
                at: Self.device
            )
        )
        let advertisement = try #require(tree.advertisement(of: Self.device))
        #expect(advertisement.address == BluetoothAddress("80:E4:DA:12:34:56"))
        #expect(advertisement.name == "F208d1wF" && advertisement.rssi == -60 && advertisement.isConnectedHere)
        #expect(advertisement.services.map(\.description) == ["00420000-8f59-4420-870d-84f3b617e493"])
        #expect(advertisement.manufacturerData == [0x030F: [1, 2, 3, 4, 2]])
    }

    @Test("Characteristics are found by UUID and by whom they name")
    func characteristics() throws {
        var tree = Self.tree()
        let service = try #require(BluetoothUUID("00420000-8f59-4420-870d-84f3b617e493"))
        let ours = Self.device + "/service003d", others = Self.device + "/service0010"
        func characteristic(_ uuid: String, of service: String) -> [String: [String: DBusValue]] {
            [BlueZName.characteristic: ["UUID": .string(uuid), "Service": .objectPath(service), "MTU": .uint16(140)]]
        }
        _ = tree.replace(
            with: Self.managed([
                Self.device: [BlueZName.device: ["Address": .string("80:E4:DA:12:34:56")]],
                ours: [BlueZName.gattService: ["UUID": .string(service.description), "Device": .objectPath(Self.device)]],
                others: [BlueZName.gattService: ["UUID": .string("180a"), "Device": .objectPath(Self.device)]],
                ours + "/char003e": characteristic("00420001-8f59-4420-870d-84f3b617e493", of: ours),
                others + "/char0011": characteristic("2a27", of: others),
            ])
        )
        let found = tree.characteristics(of: service, on: Self.device)
        #expect(found?.count == 1 && found?.values.first == ours + "/char003e")
        #expect(tree.characteristics(of: BluetoothUUID(assigned: 0x1800), on: Self.device) == nil)
    }
}

@Suite("Which adapter (contract B.7)")
struct AdapterChoiceTests {
    private static func tree(_ adapters: [(String, [String: DBusValue])]) -> ObjectTree {
        var tree = ObjectTree()
        for (name, properties) in adapters {
            _ = tree.apply(
                Signal(
                    at: "/",
                    BlueZName.objectManager,
                    "InterfacesAdded",
                    [
                        .objectPath("/org/bluez/\(name)"),
                        .dictionary(key: "s", value: "a{sv}", [.string(BlueZName.adapter): .properties(properties)]),
                    ]
                )
            )
        }
        return tree
    }

    @Test("The first that is powered, in natural order; stays while it exists")
    func automatic() {
        let tree = Self.tree([
            ("hci10", ["Powered": .boolean(true)]), ("hci2", ["Powered": .boolean(true)]), ("hci0", ["Powered": .boolean(false)]),
        ])
        #expect(AdapterChoice.automatic.path(in: tree, present: nil) == "/org/bluez/hci2")
        #expect(AdapterChoice.automatic.path(in: tree, present: "/org/bluez/hci0") == "/org/bluez/hci0")
        #expect(AdapterChoice.automatic.path(in: tree, present: "/org/bluez/hci7") == "/org/bluez/hci2")
        #expect(AdapterChoice.automatic.path(in: Self.tree([("hci0", ["Powered": .boolean(false)])]), present: nil) == "/org/bluez/hci0")
        #expect(AdapterChoice.automatic.path(in: Self.tree([]), present: nil) == nil)
    }

    @Test("An adapter without Bluetooth Low Energy is none; old versions do not tell")
    func roles() {
        #expect(AdapterChoice.automatic.path(in: Self.tree([("hci0", ["Roles": .strings([])])]), present: nil) == nil)
        #expect(AdapterChoice.automatic.path(in: Self.tree([("hci0", ["Roles": .strings(["central"])])]), present: nil) != nil)
        #expect(AdapterChoice.automatic.path(in: Self.tree([("hci0", [:])]), present: nil) != nil)
    }

    @Test("By name or address; hci1 is never hci10")
    func named() {
        let tree = Self.tree([
            ("hci10", ["Address": .string("00:AA:01:0A:00:0A")]), ("hci1", ["Address": .string("00:AA:01:01:00:01")]),
        ])
        #expect(AdapterChoice("hci1")?.path(in: tree, present: nil) == "/org/bluez/hci1")
        #expect(AdapterChoice("hci2")?.path(in: tree, present: "/org/bluez/hci1") == nil)
        #expect(AdapterChoice("00:aa:01:0a:00:0a")?.path(in: tree, present: nil) == "/org/bluez/hci10")
        for text in ["", "hci", "hci-1", "hciX", "usb0", "00:AA"] { #expect(AdapterChoice(text) == nil) }
    }
}

@Suite("Our discovery on an adapter")
struct BlueZDiscoveryTests {
    private let service = DiscoveryFilter.service(BluetoothUUID(assigned: 0x180A))
    private let failed = DBusError(name: "org.bluez.Error.Failed")

    @Test("Filter first, then start; one call at a time; the last wish wins")
    func story() {
        var discovery = BlueZDiscovery()
        #expect(discovery.next() == nil)
        discovery.want(.any)
        #expect(discovery.next() == .setFilter(.any))
        #expect(discovery.next() == nil)
        discovery.want(service)
        #expect(discovery.answered(.setFilter(.any), nil) == .zero)
        #expect(discovery.next() == .setFilter(service))
        #expect(discovery.answered(.setFilter(service), nil) == .zero)
        #expect(discovery.next() == .start)
        #expect(discovery.answered(.start, nil) == .zero)
        #expect(discovery.next() == nil && discovery.isActive)
        discovery.want(.any)
        #expect(discovery.next() == .setFilter(.any))
        #expect(discovery.answered(.setFilter(.any), nil) == .zero)
        #expect(discovery.next() == nil)
        discovery.want(nil)
        #expect(discovery.next() == .stop)
        #expect(discovery.answered(.stop, failed) == .zero)
        #expect(discovery.next() == nil && !discovery.isActive)
    }

    @Test("InProgress may mean anybody's: it is stopped, if it is ours, and begun again after a pause that grows")
    func inProgress() {
        var discovery = BlueZDiscovery()
        discovery.want(.any)
        for (seconds, answer) in [(1, DBusError?.none), (2, failed), (4, nil)] {
            #expect(discovery.next() == .setFilter(.any))
            _ = discovery.answered(.setFilter(.any), nil)
            #expect(discovery.next() == .start)
            #expect(discovery.answered(.start, DBusError(name: "org.bluez.Error.InProgress")) == .zero)
            #expect(discovery.next() == .stop && !discovery.isActive)
            #expect(discovery.answered(.stop, answer) == .seconds(seconds))
        }
        _ = discovery.next()
        _ = discovery.answered(.setFilter(.any), nil)
        _ = discovery.next()
        #expect(discovery.answered(.start, nil) == .zero)
        #expect(discovery.isActive && discovery.next() == nil)
    }

    @Test("Failures are repeated with longer and longer pauses, up to half a minute")
    func failures() {
        var discovery = BlueZDiscovery()
        discovery.want(.any)
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            #expect(discovery.next() == .setFilter(.any))
            #expect(discovery.answered(.setFilter(.any), failed) == .seconds(seconds))
        }
        _ = discovery.next()
        _ = discovery.answered(.setFilter(.any), nil)
        #expect(discovery.next() == .start)
        #expect(discovery.answered(.start, failed) == .seconds(30))  // it still does not work
    }

    @Test("A filter is always set, for Low Energy; a service is named if there is one")
    func arguments() {
        #expect(BlueZDiscovery.arguments(.any).first?.namedValues?["Transport"] == .string("le"))
        #expect(BlueZDiscovery.arguments(.any).first?.namedValues?["UUIDs"] == nil)
        #expect(BlueZDiscovery.arguments(service).first?.namedValues?["UUIDs"]?.stringArray == ["0000180a-0000-1000-8000-00805f9b34fb"])
    }
}
