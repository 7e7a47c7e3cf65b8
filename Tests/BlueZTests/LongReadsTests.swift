import GATT
import Testing

@testable import BlueZ

@Suite("Answers that are kept for those who read on (contract D61)")
struct LongReadsTests {
    private static let value = (0..<50).map { UInt8($0) }
    private static let key = LongReads.Key(device: "A", attribute: AttributeID(1))

    private static func kept(_ value: [UInt8]?, mtu: Int = 23) -> LongReads {
        var reads = LongReads()
        reads.began(key, RequestID(1), now: .zero)
        reads.answered(key, RequestID(1), value, mtu: mtu, now: .zero)
        return reads
    }

    private static func rest(_ reads: LongReads, from offset: Int, at now: Duration = .zero) -> Result<[UInt8], ATTError>? {
        var reads = reads
        return reads.rest(key, from: offset, now: now)
    }

    @Test("From the offset on; nothing at the end, which is no error; beyond it there is nothing to read")
    func rests() {
        let reads = Self.kept(Self.value)
        #expect(Self.rest(reads, from: 22) == .success(Array(Self.value[22...])))
        #expect(Self.rest(reads, from: 44) == .success(Array(Self.value[44...])))
        #expect(Self.rest(reads, from: 50) == .success([]))
        #expect(Self.rest(reads, from: 51) == .failure(.invalidOffset))
    }

    @Test("What ends within its packet, and what failed, nobody reads on", arguments: [nil, [], [UInt8](repeating: 0, count: 21)] as [[UInt8]?])
    func short(value: [UInt8]?) {
        let reads = Self.kept(value)
        #expect(Self.rest(reads, from: 1) == nil)
        #expect(reads.count == 0)
    }

    @Test("A value that just fills its packet is kept: whoever reads on finds the end", arguments: [(22, 23), (184, 185), (511, 512)])
    func exact(count: Int, mtu: Int) {
        let reads = Self.kept([UInt8](repeating: 1, count: count), mtu: mtu)
        #expect(Self.rest(reads, from: count) == .success([]))
    }

    @Test("For 30 s after it was used")
    func lifetime() {
        var reads = Self.kept(Self.value)
        #expect(Self.rest(reads, from: 22, at: .milliseconds(29_999)) != nil)
        #expect(Self.rest(reads, from: 22, at: .seconds(30)) == nil)
        _ = reads.rest(Self.key, from: 22, now: .seconds(20))
        #expect(Self.rest(reads, from: 44, at: .seconds(49)) != nil)
        #expect(Self.rest(reads, from: 44, at: .seconds(50)) == nil)
    }

    @Test("Not if the value was written, or read anew, before the program has answered")
    func overtaken() {
        var reads = LongReads()
        reads.began(Self.key, RequestID(1), now: .zero)
        reads.forget { $0 == Self.key }
        reads.answered(Self.key, RequestID(1), Self.value, mtu: 23, now: .zero)
        #expect(Self.rest(reads, from: 22) == nil)
        reads.began(Self.key, RequestID(2), now: .zero)
        reads.began(Self.key, RequestID(3), now: .zero)
        reads.answered(Self.key, RequestID(2), Self.value, mtu: 23, now: .zero)
        #expect(Self.rest(reads, from: 22) == nil)
        reads.answered(Self.key, RequestID(3), Self.value, mtu: 23, now: .zero)
        #expect(Self.rest(reads, from: 22) != nil)
    }

    @Test("Only so many: the one that was used longest ago goes")
    func limit() {
        var reads = Self.kept(Self.value)
        for number in 0..<UInt64(LongReads.limit) {
            let key = LongReads.Key(device: "B", attribute: AttributeID(number))
            reads.began(key, RequestID(10 + number), now: .seconds(1))
            reads.answered(key, RequestID(10 + number), Self.value, mtu: 23, now: .seconds(1))
        }
        #expect(reads.count == LongReads.limit)
        #expect(Self.rest(reads, from: 22, at: .seconds(2)) == nil)
    }
}
