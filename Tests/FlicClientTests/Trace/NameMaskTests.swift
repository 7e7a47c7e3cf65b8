import FlicProtocol
import Testing

@testable import FlicClient

@Suite("Names in traces")
struct NameMaskTests {
    private static let names = [
        "", "a", "Hall", "Küche", "Спальня", "厨房", "ห้องครัว", "🏠 home", "\u{FFFF}\u{E000}", "\u{10FFFF}", "한국", "tab\tzero\0", "Mädchenzimmer",
    ].map { ButtonName($0) }

    @Test("Another name of the same length, which a session takes as it takes the true one", arguments: names)
    func length(_ name: ButtonName) {
        let masked = NameMask().mask(name)
        #expect(masked.bytes.count == name.bytes.count && masked.text.unicodeScalars.count == name.text.unicodeScalars.count)
        #expect(!masked.text.contains("\u{FFFD}"))
    }

    @Test("Equal names stay equal, others different; each recording has a mask of its own")
    func equality() {
        let mask = NameMask()
        #expect(Set(Self.names.map { mask.mask($0) }).count == Self.names.count)
        #expect(Self.names.map { mask.mask($0) } == Self.names.map { mask.mask($0) })
        let long = ButtonName("abcdefghijklmnopqrstuvw")
        #expect(mask.mask(long) != long && mask.mask(long) != NameMask().mask(long))
    }

    @Test("Bytes that are no UTF-8 stay so, and are cut as they were")
    func damaged() {
        let mask = NameMask()
        for bytes: [UInt8] in [Array("abc".utf8) + [0xC3], [0xFF, 0x41], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0x80]] {
            var previous: UInt8 = 0
            let masked = bytes.enumerated().map { position, byte in
                defer { previous = byte }
                return mask.mask(byte, at: position, after: previous)
            }
            #expect(ButtonName(received: masked).bytes.count == ButtonName(received: bytes).bytes.count)
        }
    }

    @Test("In frames of every size, a frame told twice included", arguments: [19, 23, 40, 140])
    func frames(mtu: Int) {
        let names = NameMask()
        var response = GetNameResponse()
        response.name = Array("Hauptschlafzimmer".utf8)
        let frames = Fragmentation.frames(of: response.body + [1, 2, 3, 4, 5], connectionID: 3, mtu: mtu)
        var mask = FrameMask(.fromButton, .flic2)
        let masked = frames.flatMap { frame -> [UInt8] in
            let first = mask.mask(frame, names)
            #expect(mask.mask(frame, names) == first)
            return Array(first.dropFirst())
        }
        #expect(masked.count == response.body.count + 5 && masked.prefix(7) == response.body.prefix(7))
        let name = ButtonName("Hauptschlafzimmer")
        #expect(Array(masked[7..<24]) == names.mask(name).bytes)
        // What follows begins anew.
        #expect(mask.mask([3, GetBatteryLevelResponse.opcode, 1, 2], names) == [3, GetBatteryLevelResponse.opcode, 1, 2])
    }
    @Test("A Flic Twist's packets have no frames and other numbers: names and firmware are left out of them as well")
    func twist() {
        let names = NameMask()
        let name = ButtonName("Hauptschlafzimmer")
        func masked(_ body: [UInt8], _ direction: Direction) -> [UInt8] {
            var mask = FrameMask(direction, .twist)
            return mask.mask(body, names)
        }
        var answer = GetNameResponse()
        answer.name = name.bytes
        #expect(masked(Twist.GetNameResponse(answer).body, .fromButton) == [12] + answer.body[1..<7] + names.mask(name).bytes)
        var request = SetNameRequest()
        request.name = name.bytes
        #expect(masked(Twist.SetNameRequest(request).body, .toButton) == [9] + request.body[1..<7] + names.mask(name).bytes)
        var introduction = Twist.FullVerifyResponse2()
        (introduction.name, introduction.serialNumber) = (name.bytes, Array("TC00-A00001".utf8))
        let shown = masked(introduction.body, .fromButton)
        #expect(
            Array(shown[19..<36]) == names.mask(name).bytes && shown[..<19] == introduction.body[..<19] && shown[42...] == introduction.body[42...]
        )
        var data = FirmwareUpdateDataInd()
        data.data = [1, 2, 3]
        #expect(masked(Twist.FirmwareUpdateDataInd(data).body, .toButton) == [16, 0, 0, 0])
        #expect(masked([16, 1, 2], .fromButton) == [16, 1, 2] && masked([], .fromButton) == [])
    }
}
