import Fixtures
import Testing

@testable import FlicProtocol

@Suite("A firmware transfer, step by step (protocol 9.4, 13.5)")
struct FirmwareTransferTests {
    typealias Product = FirmwareImage.Product
    typealias Step = FirmwareTransfer.Step
    typealias Failure = HostSession.FirmwareFailure

    /// - Parameter payload: In bytes.
    private static func image(_ product: Product = .flic2, payload: Int = 4000) -> FirmwareImage {
        let count = product.form.headerSize + payload
        return try! FirmwareImage((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }, for: product)  // swift-format-ignore: NeverUseForceTry
    }

    private static func transfer(_ image: FirmwareImage = image(), wasSent: Bool = false) -> FirmwareTransfer {
        FirmwareTransfer(image, wasSent: wasSent)
    }

    private static func progress(_ acknowledged: Int, _ sent: Int, _ total: Int) -> Step {
        .progress(.init(acknowledged: acknowledged, sent: sent, total: total))
    }

    private static var farewell: Step {
        var packet = ForceBtDisconnectInd()
        packet.restartAdv = 1
        return .send(packet.body)
    }

    /// The packets that carry these bytes of the payload.
    private static func packets(_ image: FirmwareImage, _ sizes: [Int], from start: Int = 0) -> [Step] {
        var offset = start
        return sizes.map { size in
            defer { offset += size }
            let data = Array(image.payload[offset..<offset + size])
            let opcode: UInt8 = image.product == .flic2 ? 18 : 39
            return .send([opcode] + data)
        }
    }

    @Test("Flic 2: 17 packets of 30 words and one of 2 fill the window; each acknowledgement moves it on")
    func words() {
        let image = Self.image()
        var transfer = Self.transfer(image)
        #expect(transfer.isAsking && transfer.deadline == nil)
        let window = Self.packets(image, [Int](repeating: 120, count: 17) + [8])
        #expect(transfer.started(at: 0, now: .seconds(1)) == window + [Self.progress(0, 2048, 4000)])
        #expect(!transfer.isAsking && transfer.deadline == .seconds(31))
        #expect(transfer.acknowledged(60, now: .seconds(2)) == Self.packets(image, [120, 120], from: 2048) + [Self.progress(240, 2288, 4000)])
        #expect(transfer.deadline == .seconds(32))
        // A window in one go, up to the end: the last packet is as long as there is image.
        let rest = Self.packets(image, [Int](repeating: 120, count: 14) + [32], from: 2288)
        #expect(transfer.acknowledged(572, now: .seconds(3)) == rest + [Self.progress(2288, 4000, 4000)])
        #expect(transfer.acknowledged(999, now: .seconds(4)) == [Self.progress(3996, 4000, 4000)])
        #expect(transfer.acknowledged(1000, now: .seconds(5)) == [Self.progress(4000, 4000, 4000), .installed, Self.farewell])
        #expect(transfer.deadline == nil)
        #expect(transfer.acknowledged(1000, now: .seconds(6)) == [.ignored] && transfer.tick(now: .seconds(1000)) == [])
    }

    @Test("Duo: 12 packets of 110 bytes fill the window")
    func bytes() {
        let image = Self.image(.duo, payload: 1501)
        var transfer = Self.transfer(image)
        #expect(transfer.started(at: 0, now: .zero) == Self.packets(image, [Int](repeating: 110, count: 12)) + [Self.progress(0, 1320, 1501)])
        #expect(transfer.acknowledged(220, now: .zero) == Self.packets(image, [110, 71], from: 1320) + [Self.progress(220, 1501, 1501)])
        #expect(transfer.acknowledged(1501, now: .zero) == [Self.progress(1501, 1501, 1501), .installed, Self.farewell])
    }

    @Test("What was interrupted goes on where the button says", arguments: [(Int32(1), 4), (70, 280), (999, 3996)])
    func resume(position: Int32, offset: Int) {
        let image = Self.image()
        var transfer = Self.transfer(image)
        let steps = transfer.started(at: position, now: .zero)
        let end = min(4000, offset + 2048)
        #expect(steps.last == Self.progress(offset, end, 4000))
        let sent = steps.flatMap { step -> [UInt8] in if case .send(let body) = step { Array(body.dropFirst()) } else { [] } }
        #expect(sent == Array(image.payload[offset..<end]))
    }

    @Test("Where nothing is left, the acknowledgement is waited for")
    func nothingLeft() {
        var transfer = Self.transfer()
        #expect(transfer.started(at: 1000, now: .zero) == [Self.progress(4000, 4000, 4000)])
        #expect(transfer.deadline == .seconds(30))
        #expect(transfer.acknowledged(1000, now: .seconds(1)) == [Self.progress(4000, 4000, 4000), .installed, Self.farewell])
    }

    @Test(
        "Answers that are refusals, or nonsense",
        arguments: [
            (-1, .invalidParameters), (-2, .busy), (-3, .awaitsRestart), (-4, .refused(-4)), (.min, .refused(.min)),
            (1001, .impossiblePosition(1001)),
            (.max, .impossiblePosition(.max)),
        ] as [(Int32, Failure)]
    )
    func refused(position: Int32, failure: Failure) {
        var transfer = Self.transfer()
        #expect(transfer.started(at: position, now: .zero) == [.failed(failure)])
        #expect(transfer.started(at: 0, now: .zero) == [.ignored] && transfer.acknowledged(0, now: .zero) == [.ignored])
    }

    @Test("A button that waits for its restart has got this image, if all of it was sent before")
    func awaitsRestart() {
        var transfer = Self.transfer(wasSent: true)
        #expect(transfer.started(at: -3, now: .zero) == [Self.progress(4000, 4000, 4000), .installed, Self.farewell])
        transfer = Self.transfer(wasSent: true)
        #expect(transfer.started(at: -2, now: .zero) == [.failed(.busy)])
    }

    @Test("Acknowledgements: from what is acknowledged up to what is sent", arguments: [-1, 0, 59, 60, 61, 571, 572, 573, 1000, Int32.min, .max])
    func boundaries(position: Int32) {
        var transfer = Self.transfer()
        _ = transfer.started(at: 0, now: .zero)
        _ = transfer.acknowledged(60, now: .zero)  // now 572 words are sent
        let steps = transfer.acknowledged(position, now: .seconds(7))
        switch position {
        case 0: #expect(steps == [.failed(.invalidSignature)])
        case 60...572:
            #expect(!steps.contains { if case .failed = $0 { true } else { false } })
            // What brings nothing new does not count as a sign of life.
            #expect(transfer.deadline == (position == 60 ? .seconds(30) : .seconds(37)))
        default: #expect(steps == [.failed(.impossiblePosition(position))])
        }
    }

    @Test("Zero is a wrong signature at any time, also where all of it has been acknowledged already", arguments: [Int32(0), 500, 1000])
    func wrongSignature(start: Int32) {
        var transfer = Self.transfer()
        _ = transfer.started(at: start, now: .zero)
        #expect(transfer.acknowledged(0, now: .zero) == [.failed(.invalidSignature)])
    }

    @Test("Thirty seconds without anything new, and it is given up")
    func stalled() {
        var transfer = Self.transfer()
        _ = transfer.started(at: 0, now: .zero)
        #expect(transfer.acknowledged(60, now: .seconds(20)).count == 3)
        #expect(transfer.acknowledged(60, now: .seconds(40)) == [])
        #expect(transfer.tick(now: .seconds(50) - .nanoseconds(1)) == [])
        #expect(transfer.tick(now: .seconds(50)) == [.failed(.stalled)])
        #expect(transfer.tick(now: .seconds(50)) == [] && transfer.deadline == nil)
    }

    @Test("Whatever the button acknowledges, no more than a window is out, and everything is sent once, in order", arguments: UInt64(1)...50)
    func windows(seed: UInt64) {
        var random = Random(seed: seed)
        let product: Product = seed.isMultiple(of: 2) ? .duo : .flic2
        let form = product.form
        let image = Self.image(product, payload: (1000 + random.next(5000)) / form.unit * form.unit)
        var transfer = Self.transfer(image)
        var received: [UInt8] = []
        var acknowledged = 0
        var steps = transfer.started(at: 0, now: .zero)
        while !steps.contains(.installed) {
            for case .send(let body) in steps {
                received += body.dropFirst()
                #expect(body.count - 1 <= form.packetSize && received.count - acknowledged <= form.window)
            }
            guard received.count > acknowledged else {
                Issue.record("nothing more is sent at \(acknowledged)")
                return
            }
            acknowledged += (1 + random.next((received.count - acknowledged) / form.unit)) * form.unit
            steps = transfer.acknowledged(Int32(acknowledged / form.unit), now: .zero)
        }
        #expect(received == image.payload)
    }
}
