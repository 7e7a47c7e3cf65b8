import Testing

@testable import FlicProtocol

@Suite("Firmware images (protocol 9.4, 13.5)")
struct FirmwareImageTests {
    typealias Product = FirmwareImage.Product

    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }

    private static func problem(_ count: Int, _ product: Product) -> FirmwareImage.Problem? {
        do throws(FirmwareImage.Problem) {
            _ = try FirmwareImage(bytes(count), for: product)
            return nil
        } catch {
            return error
        }
    }

    @Test("The size is checked before anything else", arguments: Product.allCases)
    func size(_ product: Product) {
        for count in [0, 1, 8, 75, 996, 999] { #expect(Self.problem(count, product) == .tooSmall(count)) }
        for count in [1000, 1004, 262_140, 262_144] { #expect(Self.problem(count, product) == nil) }
        for count in [262_145, 262_148, 10_000_000] { #expect(Self.problem(count, product) == .tooLarge(count)) }
    }

    @Test("A Flic 2 counts words, a Duo bytes", arguments: 1001...1003)
    func words(count: Int) {
        #expect(Self.problem(count, .flic2) == .brokenWord(count))
        #expect(Self.problem(count, .duo) == nil)
    }

    @Test("A file is the header and the payload", arguments: [(Product.flic2, 8), (.duo, 76)])
    func parts(_ product: Product, headerSize: Int) throws {
        let bytes = Self.bytes(2000)
        let image = try FirmwareImage(bytes, for: product)
        #expect(image.header == Array(bytes.prefix(headerSize)) && image.payload == Array(bytes.dropFirst(headerSize)))
        #expect(image.size == 2000 && image.product == product)
    }

    @Test("Errors say what was wrong, in numbers")
    func texts() {
        #expect("\(FirmwareImage.Problem.tooSmall(3))" == "A firmware image has 1000 bytes at least; this has 3.")
        #expect("\(FirmwareImage.Problem.tooLarge(300_000))" == "A firmware image has 262144 bytes at most; this has 300000.")
        #expect("\(FirmwareImage.Problem.brokenWord(1001))".contains("1001 bytes"))
    }

    @Test("The start announces the payload, the largest one, too", arguments: [1000, 262_144])
    func start(count: Int) throws {
        let bytes = Self.bytes(count)
        let flic2Body = try FirmwareImage(bytes, for: .flic2).startRequest.body
        let flic2 = StartFirmwareUpdateRequest(body: flic2Body.span)
        #expect(flic2.map { Int($0.lengthWords) } == (count - 8) / 4)
        #expect(flic2?.initializationVector == Array(bytes.prefix(8)) && flic2?.statusInterval == 60)
        let duoBody = try FirmwareImage(bytes, for: .duo).startRequest.body
        let duo = StartFirmwareUpdateDuoRequest(body: duoBody.span)
        #expect(duo.map { Int($0.length) } == count - 76)
        #expect(duo?.header == Array(bytes.prefix(76)) && duo?.statusInterval == 2)
    }
}
