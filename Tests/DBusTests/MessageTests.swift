import Testing

@testable import DBus

@Suite("Messages")
struct MessageTests {
    private func signal(_ values: [DBusValue]) throws(DBusError) -> Message {
        try Message.signal(Signal(at: "/a", "b.c", "D", values))
    }

    /// A byte in this many variants.
    private func nested(_ depth: Int) -> DBusValue {
        (0..<depth).reduce(.byte(7)) { value, _ in .variant(value) }
    }

    static let invalid: [DBusValue] = [
        .string("a\0b"),
        .objectPath(""), .objectPath("a"), .objectPath("/a/"), .objectPath("//"), .objectPath("/\0"), .objectPath("/é"),
        .signature("a"), .signature("{sv}"), .signature("z"), .signature("s\0"), .signature(String(repeating: "s", count: 256)),
        .structure([]), .variant(.structure([])), .array(of: "()", []),
        .array(of: "", []), .array(of: "ss", []), .array(of: "z", []), .array(of: "s\0", []), .array(of: "{vs}", []),
        .array(of: "s", [.byte(1)]), .array(of: "s", [.string("a"), .objectPath("/")]),
        .structure([.array(of: "ss", [])]), .array(of: "(ass)", [.structure([.array(of: "ss", [])])]),
        .dictionary(key: "v", value: "s", [:]), .dictionary(key: "", value: "ss", [:]), .dictionary(key: "ss", value: "", [:]),
        .dictionary(key: "s", value: "", [:]), .dictionary(key: "s", value: "ss", [:]), .dictionary(key: "as", value: "s", [:]),
        .dictionary(key: "s", value: "v", [.string("a"): .byte(1)]), .dictionary(key: "s", value: "y", [.byte(1): .byte(1)]),
        .fileDescriptor(DBusFileDescriptor(-1)), .array(of: "h", Array(repeating: .fileDescriptor(DBusFileDescriptor(-1)), count: 2)),
        .array(of: String(repeating: "a", count: 40) + "y", []),
        .array(of: String(repeating: "(", count: 40) + "y" + String(repeating: ")", count: 40), []),
    ]

    @Test("A value that breaks the rules is an error, at any depth", arguments: invalid)
    func invalidValues(value: DBusValue) {
        for values in [[value], [.variant(value)], [.byte(1), .structure([.variant(.structure([value]))])], [.properties(["A": value])]] {
            let error = #expect(throws: DBusError.self) { try signal(values) }
            #expect(error?.name == DBusError.invalidArguments)
        }
    }

    @Test("Too many arguments are an error")
    func manyArguments() throws {
        _ = try signal(Array(repeating: .byte(1), count: 255))
        #expect(throws: DBusError.self) { try signal(Array(repeating: .byte(1), count: 256)) }
    }

    @Test("Values are written as deep as the bus takes them, and no deeper")
    func depth() throws {
        #expect(try signal([nested(64)]).arguments() == [nested(64)])
        #expect(throws: DBusError.self) { try signal([nested(65)]) }
    }

    @Test("Values that are too deep are not read")
    func readingDepth() throws {
        let message = try signal([])
        try MessageWriter.write([nested(65)], into: message, depthLimit: 1000)
        let error = #expect(throws: DBusError.self) { try message.arguments() }
        #expect(error?.name == DBusError.limitsExceeded)
    }

    @Test("A body that is too large is an error")
    func size() {
        let megabyte = DBusValue.bytes([UInt8](repeating: 0, count: 1 << 20))
        let error = #expect(throws: DBusError.self) { try signal([.array(of: "ay", Array(repeating: megabyte, count: 65))]) }
        #expect(error?.name == DBusError.limitsExceeded)
    }

    @Test("More file descriptors than the bus takes are an error")
    func descriptors() throws {
        let output = DBusFileDescriptor(try PrivateBus.socketPair().0)
        _ = try signal([.array(of: "h", Array(repeating: .fileDescriptor(output), count: 16))])
        #expect(throws: DBusError.self) { try signal([.array(of: "h", Array(repeating: .fileDescriptor(output), count: 17))]) }
    }

    @Test("Names are checked by the rules of D-Bus")
    func names() {
        for name in ["a.b", "a_1.B2", "_._"] { #expect(BusSyntax.isInterface(name)) }
        for name in ["", "a", "a.", ".a", "a.1", "a b.c", "a.b\0", "a.é"] { #expect(!BusSyntax.isInterface(name)) }
        for name in ["a.b", ":1.42", "a-b.c"] { #expect(BusSyntax.isBusName(name)) }
        for name in ["", "a", "1.2", "a..b"] { #expect(!BusSyntax.isBusName(name)) }
        for name in ["A", "_", "a1"] { #expect(BusSyntax.isMember(name)) }
        for name in ["", "1", "a.b", "a-b", "a\0"] { #expect(!BusSyntax.isMember(name)) }
        #expect(BusSyntax.isErrorName("org.bluez.Error.Failed"))
        #expect(!BusSyntax.isErrorName("Failed"))
    }

    @Test("A path and what is above it")
    func ancestors() {
        #expect(BusSyntax.pathAndAncestors("/") == ["/"])
        #expect(BusSyntax.pathAndAncestors("/a") == ["/a", "/"])
        #expect(BusSyntax.pathAndAncestors("/a/b1/c") == ["/a/b1/c", "/a/b1", "/a", "/"])
        #expect(BusSyntax.isPath("/a/b", atOrBelow: "/a"))
        #expect(BusSyntax.isPath("/a", atOrBelow: "/"))
        #expect(!BusSyntax.isPath("/ab", atOrBelow: "/a"))
        #expect(!BusSyntax.isPath("/", atOrBelow: "/a"))
    }

    @Test("A rule in the words of the bus")
    func matchRules() {
        #expect(MatchRule().text == "type='signal'")
        let rule = MatchRule(sender: "org.bluez", pathNamespace: "/org/bluez", interface: "a.b", member: "C", firstArgument: "it's, 'x'")
        let text = #"sender='org.bluez',path_namespace='/org/bluez',interface='a.b',member='C',arg0='it'\''s, '\''x'\'''"#
        #expect(rule.text == "type='signal',\(text)")
    }
}
