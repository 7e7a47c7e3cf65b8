import Fixtures
import FlicProtocol
import Testing

/// Protocol 4, 13.2 and 14.2 against `packets.json`.
@Suite("Packets")
struct PacketVectorTests {
    static let flic2 = PacketVector.all(.flic2)
    static let duo = PacketVector.all(.duo)
    static let twist = PacketVector.all(.twist)
    static let all = flic2 + duo + twist

    @Test("No packet and no case is lost")
    func counts() {
        #expect(Self.flic2.count == 60)
        #expect(Self.duo.count == 23)
        #expect(Self.twist.count == 50)
        #expect(Self.flic2.reduce(0) { $0 + $1.cases.count } == 152)
        #expect(Self.duo.reduce(0) { $0 + $1.cases.count } == 59)
        #expect(Self.twist.reduce(0) { $0 + $1.cases.count } == 128)
        #expect(Self.all.filter { $0.tooShort != nil }.count == 81)
    }

    @Test("The catalogues have the packets of the vectors and no others", arguments: PacketVector.Family.allCases)
    func catalogue(_ family: PacketVector.Family) {
        let vectors = PacketVector.all(family)
        #expect(family.catalog.count == vectors.count)
        #expect(vectors.allSatisfy { $0.type != nil })
        for direction in [Direction.toButton, .fromButton] {
            let opcodes = family.catalog.filter { $0.direction == direction }.map { $0.opcode }
            #expect(opcodes == opcodes.sorted() && Set(opcodes).count == opcodes.count)
        }
    }

    @Test("Duo packets do not take opcodes of the Flic 2")
    func sharedOpcodes() {
        let taken = PacketVector.Family.flic2.catalog + PacketVector.Family.duo.catalog
        #expect(Set(taken.map { Int($0.direction.rawValue) << 8 | Int($0.opcode) }).count == 83)
    }

    @Test("133 packets have the right name, opcode, direction, signature and table of fields", arguments: all)
    func layout(_ vector: PacketVector) throws {
        let type = try #require(vector.type)
        #expect(["\(vector.name)", "Renumbered<\(vector.name), \(vector.opcode)>"].contains("\(type)"))
        #expect(type.opcode == vector.opcode)
        #expect(type.direction == vector.direction)
        #expect(type.signing == vector.signing)
        let fields = FieldInspector.table(of: type, named: Set(vector.fields.map(\.name)))
        #expect(fields == vector.fields)
        let fixedBits = fields.filter { !$0.isOptional }.reduce(8) { $0 + ($1.bits ?? 0) }
        #expect(fixedBits == vector.minimumLength * 8)
    }

    @Test("The values of 339 cases of 133 packets become the right body, and come back from it", arguments: all)
    func bothWays(_ vector: PacketVector) throws {
        func check<P: Packet>(_ type: P.Type) {
            for (values, body) in vector.cases {
                var packet = P()
                var filler = FieldFiller(values)
                packet.code(&filler)
                #expect(filler.unfilled.isEmpty && filler.unused.isEmpty)
                #expect(packet.body.hex == body.hex)
                let decoded = P(body: body.span)
                #expect(decoded == packet)
                #expect(decoded.map { FieldInspector.inspect($0, named: Set(values.keys)).values } == values)
            }
        }
        let type = try #require(vector.type)
        check(type)
    }

    @Test("None of 133 packets is read from fewer bytes than it has", arguments: all)
    func tooShort(_ vector: PacketVector) throws {
        func check<P: Packet>(_ type: P.Type) {
            for (_, body) in vector.cases {
                for length in 0...body.count {
                    let isRead = P(body: body.span.extracting(..<length)) != nil
                    #expect(isRead == (length >= vector.minimumLength))
                }
            }
            if let body = vector.tooShort {
                let isRead = P(body: body.span) != nil
                #expect(!isRead)
            }
        }
        let type = try #require(vector.type)
        check(type)
    }

    @Test("None of 133 packets is read under another opcode", arguments: all)
    func otherOpcode(_ vector: PacketVector) throws {
        func check<P: Packet>(_ type: P.Type) {
            for (_, body) in vector.cases {
                for opcode in UInt8.min...UInt8.max {
                    let changed = [opcode] + body.dropFirst()
                    let isRead = P(body: changed.span) != nil
                    #expect(isRead == (opcode == vector.opcode))
                }
            }
        }
        let type = try #require(vector.type)
        check(type)
    }

    @Test("115 packets that end with a known field ignore further bytes", arguments: all.filter { $0.openEnd?.kind != "rest" })
    func extraBytes(_ vector: PacketVector) throws {
        // A list takes whole elements, and an optional field is taken for what it is.
        let elementSize = ["u32[]": 4, "item7[]": 7][vector.openEnd?.kind ?? ""] ?? 21
        func check<P: Packet>(_ type: P.Type) {
            for (values, body) in vector.cases where vector.optionalTail.map({ values[$0.name] != nil }) ?? true {
                for count in 1..<elementSize {
                    let longer = body + [UInt8](repeating: 0xA5, count: count)
                    let isSame = P(body: longer.span) == P(body: body.span)
                    #expect(isSame)
                }
            }
        }
        let type = try #require(vector.type)
        check(type)
    }

    @Test("Only 20 packets are open at the end")
    func openEnds() {
        #expect(Self.all.filter { $0.openEnd?.kind != "rest" }.count == 115)
        #expect(Self.all.filter { $0.openEnd != nil }.count == 20)
    }
}
