import DBus
import EventLoops
import Glibc
import Testing

@Suite("Values on the bus", .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.missing)"), .timeLimit(.minutes(2)))
struct ValueTests {
    static let examples: [[DBusValue]] = [
        [],
        [.byte(0), .byte(255), .boolean(true), .boolean(false)],
        [.int16(.min), .int16(.max), .uint16(.max), .int32(.min), .int32(.max), .uint32(.max)],
        [.int64(.min), .int64(.max), .uint64(.max)],
        [.double(0.1), .double(-.infinity), .double(.greatestFiniteMagnitude), .double(-0.0)],
        [.string(""), .string("Zürich 👩‍👩‍👧 \u{FFFF}"), .objectPath("/"), .objectPath("/a/b_1"), .signature(""), .signature("a{oa{sa{sv}}}")],
        [.bytes([]), .bytes([0, 1, 255])],
        [.strings([]), .strings(["", "b"]), .array(of: "(ay)", []), .array(of: "ay", [.bytes([]), .bytes([1])])],
        [.array(of: "a{sv}", [.properties([:]), .properties(["A": .byte(1)])])],
        [.properties([:]), .properties(["Name": .string("F"), "RSSI": .int16(-60)])],
        [.dictionary(key: "q", value: "v", [.uint16(0x030F): .variant(.bytes([1, 2]))])],
        [.dictionary(key: "o", value: "a{sa{sv}}", [:])],
        [
            .dictionary(
                key: "o",
                value: "a{sa{sv}}",
                [
                    .objectPath("/org/bluez/hci0"): .dictionary(
                        key: "s",
                        value: "a{sv}",
                        [
                            .string("org.bluez.Adapter1"): .properties(["Powered": .boolean(true), "UUIDs": .strings(["1800"])]),
                            .string("org.freedesktop.DBus.Properties"): .properties([:]),
                        ]
                    ),
                    .objectPath("/org/bluez"): .dictionary(key: "s", value: "a{sv}", [:]),
                ]
            )
        ],
        [.structure([.byte(1), .structure([.string("x"), .strings([])]), .variant(.int64(1))])],
        [.variant(.variant(.structure([.array(of: "v", [.variant(.byte(1)), .variant(.string("s"))])])))],
    ]

    @Test("Every type comes back as it was sent", arguments: examples)
    func roundTrip(values: [DBusValue]) async throws {
        let bus = try PrivateBus()
        let (peer, client) = (try await echo(on: bus), try await connect(to: bus))
        #expect(try await client.call(method("Echo", of: peer, values)) == values)
    }

    @Test("A megabyte arrives whole")
    func megabyte() async throws {
        let bus = try PrivateBus()
        let (peer, client) = (try await echo(on: bus), try await connect(to: bus))
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }
        let back = try await client.call(method("Echo", of: peer, [.bytes(bytes)]))
        #expect(back.first?.byteArray.map { $0 == bytes } == true)
    }

    @Test("Values of random types come back as they were sent")
    func randomValues() async throws {
        let bus = try PrivateBus()
        let (peer, client) = (try await echo(on: bus), try await connect(to: bus))
        for seed in 0..<200 {
            var random = RandomValues(seed: UInt64(seed))
            let values = random.arguments()
            #expect(try await client.call(method("Echo", of: peer, values)) == values, "seed \(seed)")
        }
    }

    @Test("A file descriptor arrives as one of its own, and both ends stay usable")
    func descriptors() async throws {
        let bus = try PrivateBus()
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        await peer.handleCalls(at: "/test") { call in
            guard case .structure(let members) = call.arguments[0], case .fileDescriptor(let descriptor) = members[1] else { return call.reply() }
            let number = descriptor.take()
            call.reply([.int32(Int32(write(number, "hello", 5)))])
            close(number)
        }
        let ends = try PrivateBus.socketPair()
        let (output, input) = (DBusFileDescriptor(ends.0), DBusFileDescriptor(ends.1))
        let arguments: [DBusValue] = [.structure([.byte(1), .fileDescriptor(input)])]
        #expect(try await client.call(method("Write", of: peer, arguments)) == [.int32(5)])
        #expect(input.number == ends.1)
        close(input.take())
        #expect(input.number == -1)
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(read(output.number, &buffer, 16) == 5)
        #expect(buffer.prefix(5) == Array("hello".utf8)[...])
        // All copies of the writing end are closed: the peer's own, and those of the messages.
        #expect(read(output.number, &buffer, 16) == 0)
    }

    @Test("File descriptors that nobody takes are closed")
    func untakenDescriptors() async throws {
        let bus = try PrivateBus()
        let (peer, client) = (try await echo(on: bus), try await connect(to: bus))
        let ends = try PrivateBus.socketPair()
        defer { close(ends.0) }
        do {
            let input = DBusFileDescriptor(ends.1)
            let back = try await client.call(method("Echo", of: peer, [.fileDescriptor(input), .fileDescriptor(input)]))
            #expect(back.count == 2)
        }
        var byte: UInt8 = 0
        #expect(read(ends.0, &byte, 1) == 0)
    }
}
