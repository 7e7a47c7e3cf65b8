import DBus
import EventLoops
import Testing

@Suite("Objects on the bus", .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.missing)"), .timeLimit(.minutes(2)))
struct ObjectServerTests {
    let bus: PrivateBus
    let peer: DBusConnection
    let client: DBusConnection
    let server: ObjectServer
    let written = Inbox<DBusValue>()

    init() async throws {
        bus = try PrivateBus()
        peer = try await connect(to: bus)
        client = try await connect(to: bus)
        server = ObjectServer(peer, root: "/app")
        await server.add([service], at: "/app/service0")
        await server.add([characteristic], at: "/app/service0/char0")
        await server.start()
    }

    private var service: ObjectServer.Interface {
        ObjectServer.Interface(name: "org.bluez.GattService1", properties: ["UUID": .string("1800"), "Primary": .boolean(true)])
    }

    private var characteristic: ObjectServer.Interface {
        let written = written
        return ObjectServer.Interface(
            name: "org.bluez.GattCharacteristic1",
            properties: ["UUID": .string("2a00"), "Value": .bytes([1]), "Flags": .strings(["read"])],
            methods: [
                "ReadValue": { $0.reply([.bytes([1, 2])]) },
                "Fail": { $0.fail(DBusError(name: "org.bluez.Error.NotPermitted", message: "no")) },
            ],
            setters: [
                "Value": { (value) throws(DBusError) in
                    guard value != .bytes([]) else { throw DBusError(name: DBusError.invalidArguments, message: "empty") }
                    written.add(value)
                },
                "Secret": { written.add($0) },
            ]
        )
    }

    private func call(_ path: String, _ interface: String, _ member: String, _ arguments: DBusValue...) async throws -> [DBusValue] {
        try await client.call(MethodCall(to: peer.name, at: path, interface, member, arguments))
    }

    private func failure(_ path: String, _ interface: String, _ member: String, _ arguments: DBusValue...) async -> String? {
        let call = MethodCall(to: await peer.name, at: path, interface, member, arguments)
        return await #expect(throws: DBusError.self) { try await client.call(call) }?.name
    }

    private let char = "/app/service0/char0"
    private let gatt = "org.bluez.GattCharacteristic1"
    private let properties = "org.freedesktop.DBus.Properties"
    private let manager = "org.freedesktop.DBus.ObjectManager"

    @Test("Methods are called, with or without the name of the interface")
    func methods() async throws {
        #expect(try await call(char, gatt, "ReadValue") == [.bytes([1, 2])])
        #expect(try await call(char, "", "ReadValue") == [.bytes([1, 2])])
        #expect(await failure(char, gatt, "Fail") == "org.bluez.Error.NotPermitted")
    }

    @Test("What isn't there is told by the proper error")
    func unknown() async throws {
        #expect(await failure("/app/service1", gatt, "ReadValue") == DBusError.unknownObject)
        #expect(await failure("/app/service0/char", gatt, "ReadValue") == DBusError.unknownObject)
        #expect(await failure("/elsewhere", gatt, "ReadValue") == DBusError.unknownObject)
        #expect(await failure(char, "a.b", "ReadValue") == DBusError.unknownInterface)
        #expect(await failure(char, gatt, "Other") == DBusError.unknownMethod)
        #expect(await failure(char, "", "Other") == DBusError.unknownMethod)
        #expect(await failure(char, properties, "Other") == DBusError.unknownMethod)
        #expect(await failure(char, manager, "GetManagedObjects") == DBusError.unknownMethod)
        #expect(await failure("/app", manager, "Other") == DBusError.unknownMethod)
        #expect(await failure(char, "org.freedesktop.DBus.Introspectable", "Other") == DBusError.unknownMethod)
    }

    @Test("Properties are got")
    func get() async throws {
        #expect(try await call(char, properties, "Get", .string(gatt), .string("Value")) == [.variant(.bytes([1]))])
        let all = try await call(char, properties, "GetAll", .string(gatt))
        #expect(all == [.properties(["UUID": .string("2a00"), "Value": .bytes([1]), "Flags": .strings(["read"])])])
        #expect(await failure(char, properties, "Get", .string(gatt), .string("None")) == DBusError.unknownProperty)
        #expect(await failure(char, properties, "Get", .string(gatt), .string("Secret")) == DBusError.accessDenied)
        #expect(await failure(char, properties, "Get", .string("a.b"), .string("Value")) == DBusError.unknownInterface)
        #expect(await failure(char, properties, "Get", .string(gatt)) == DBusError.invalidArguments)
        #expect(await failure(char, properties, "Get", .string(gatt), .byte(1)) == DBusError.invalidArguments)
        #expect(await failure(char, properties, "GetAll") == DBusError.invalidArguments)
        #expect(await failure(char, properties, "GetAll", .variant(.string(gatt))) == DBusError.invalidArguments)
    }

    @Test("Properties are set if they are writable and the value is of their type")
    func set() async throws {
        func set(_ name: String, _ value: DBusValue) async -> String? {
            await failure(char, properties, "Set", .string(gatt), .string(name), value)
        }
        #expect(try await call(char, properties, "Set", .string(gatt), .string("Value"), .variant(.bytes([9]))) == [])
        #expect(try await call(char, properties, "Set", .string(gatt), .string("Secret"), .variant(.byte(5))) == [])
        #expect(await set("Value", .variant(.bytes([]))) == DBusError.invalidArguments)
        #expect(await set("Value", .variant(.string("x"))) == DBusError.invalidArguments)
        #expect(await set("Value", .bytes([9])) == DBusError.invalidArguments)
        #expect(await set("UUID", .variant(.string("2a01"))) == DBusError.propertyReadOnly)
        #expect(await set("None", .variant(.string("2a01"))) == DBusError.unknownProperty)
        #expect(await failure(char, properties, "Set", .string(gatt), .string("Value")) == DBusError.invalidArguments)
        #expect(written.rest == [.bytes([9]), .byte(5)])
    }

    @Test("The object manager tells all objects below it")
    func managedObjects() async throws {
        let expected = DBusValue.dictionary(
            key: "o",
            value: "a{sa{sv}}",
            [
                .objectPath("/app/service0"): .dictionary(
                    key: "s",
                    value: "a{sv}",
                    [.string(service.name): .properties(service.properties)]
                ),
                .objectPath(char): .dictionary(key: "s", value: "a{sv}", [.string(gatt): .properties(characteristic.properties)]),
            ]
        )
        #expect(try await call("/app", manager, "GetManagedObjects") == [expected])
    }

    @Test("Objects that come and go, and properties that change, are announced")
    func announcements() async throws {
        let told = Inbox<Signal>()
        _ = await client.subscribe(MatchRule(sender: peer.name)) { told.add($0) }
        try await client.settle()

        await server.set(["Value": .bytes([7])], invalidated: ["Flags"], of: gatt, at: char)
        let changed = await told.next()
        #expect(changed.path == char)
        #expect(changed.interface == properties)
        #expect(changed.member == "PropertiesChanged")
        #expect(changed.arguments == [.string(gatt), .properties(["Value": .bytes([7])]), .strings(["Flags"])])
        #expect(await server.get("Value", of: gatt, at: char) == .bytes([7]))
        #expect(await server.get("Flags", of: gatt, at: char) == nil)
        #expect(await failure(char, properties, "Get", .string(gatt), .string("Flags")) == DBusError.unknownProperty)
        await server.set(["Value": .bytes([8])], of: "a.b", at: char)  // nothing of this kind
        await server.add([service], at: "/elsewhere")

        await server.add([service], at: "/app/service1")
        let added = await told.next()
        #expect(added.path == "/app")
        #expect(added.interface == manager)
        #expect(added.member == "InterfacesAdded")
        let interfaces = DBusValue.dictionary(key: "s", value: "a{sv}", [.string(service.name): .properties(service.properties)])
        #expect(added.arguments == [.objectPath("/app/service1"), interfaces])

        await server.remove(at: "/app/service0")
        for (path, interface) in [(char, gatt), ("/app/service0", service.name)] {
            let removed = await told.next()
            #expect(removed.path == "/app")
            #expect(removed.member == "InterfacesRemoved")
            #expect(removed.arguments == [.objectPath(path), .strings([interface])])
        }
        #expect(await failure(char, gatt, "ReadValue") == DBusError.unknownObject)
        #expect(told.rest.isEmpty)
    }

    @Test("A server that is stopped answers nothing, and announces nothing, until it is started again")
    func stopping() async throws {
        let told = Inbox<Signal>()
        _ = await client.subscribe(MatchRule(sender: peer.name)) { told.add($0) }
        await server.stop()
        await server.set(["Value": .bytes([7])], of: gatt, at: char)
        await server.add([service], at: "/app/service1")
        await server.remove(at: "/app/service1")
        #expect(await failure(char, gatt, "ReadValue") == DBusError.unknownObject)
        await server.start()
        #expect(try await call(char, properties, "Get", .string(gatt), .string("Value")) == [.variant(.bytes([7]))])
        #expect(told.rest.isEmpty)
    }

    @Test("Introspection gives well-formed XML with all that is there", arguments: ["/app", "/app/service0", "/app/service0/char0"])
    func introspection(path: String) async throws {
        await server.add([ObjectServer.Interface(name: "test.Odd", properties: ["<&\">": .byte(1)])], at: char)
        let xml = try await call(path, "org.freedesktop.DBus.Introspectable", "Introspect").first?.string ?? ""
        let elements = try #require(XMLCheck.elements(of: xml))
        func has(_ element: String) -> Bool { elements.contains(element) }
        #expect(has(#"interface name="org.freedesktop.DBus.Properties""#))
        #expect(has(#"interface name="org.freedesktop.DBus.ObjectManager""#) == (path == "/app"))
        #expect(has(#"node name="service0""#) == (path == "/app"))
        #expect(has(#"node name="char0""#) == (path == "/app/service0"))
        #expect(has(#"method name="ReadValue""#) == (path == char))
        #expect(has(#"property name="Value" type="ay" access="readwrite""#) == (path == char))
        #expect(has(#"property name="UUID" type="s" access="read""#) == (path != "/app"))
        #expect(has(#"property name="&lt;&amp;&quot;>" type="y" access="read""#) == (path == char))
    }
}
