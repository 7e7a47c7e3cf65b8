import Fixtures
import FlicProtocol

/// Somebody in radio range: makes frames that are not what the button has said, from noise and from what it has said.
///
/// Cheap, since it is asked a million times: noise is cut from a block of random bytes.
struct FrameForger {
    private let stage: SessionStage
    /// What the button says next, and what it has said before.
    private let genuine: [UInt8]
    private let former: [[UInt8]]
    private let noise: [UInt8]
    private var random: Random

    init(_ stage: SessionStage, genuine: [UInt8], former: [[UInt8]], seed: UInt64) {
        self.stage = stage
        self.genuine = genuine
        self.former = former.isEmpty ? [genuine] : former
        random = Random(seed: seed)
        noise = random.bytes(4096)
    }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    private mutating func noise(_ count: Int) -> ArraySlice<UInt8> {
        let start = below(noise.count - count + 1)
        return noise[start..<start + count]
    }

    /// A frame that the button has not sent.
    mutating func frame() -> [UInt8] {
        while true {
            let frame = anyFrame()
            if !isHarmless(frame) { return frame }
        }
    }

    /// Whether the frame, in spite of everything, says what the button says: the header is not signed, and the proof of
    /// protocol 5.3 may have bytes behind it.
    private func isHarmless(_ frame: [UInt8]) -> Bool {
        let content = genuine.dropFirst()
        return stage == .test2 ? frame.dropFirst().starts(with: content) : frame.dropFirst() == content
    }

    private mutating func anyFrame() -> [UInt8] {
        // Each forged certificate costs four checks of its signature.
        let isCertificate = stage == .full1 || stage == .test1
        let choice = below(isCertificate ? 400 : 16)
        switch choice {
        case 0, 1: return replaced(1 + below(4))
        case 2: return flipped(1)
        case 3: return flipped(2 + below(8))
        case 4: return Array(genuine.prefix(below(genuine.count)))
        case 5: return genuine + noise(1 + below(20))
        case 6: return former[below(former.count)]
        case 7: return [genuine[0] ^ UInt8(1 << below(8))] + genuine.dropFirst()
        case 8: return Array(genuine.prefix(1 + below(genuine.count))) + noise(below(40))
        case 9: return [genuine[0], UInt8(below(40))] + noise(below(135))
        case 10: return [genuine[0]] + noise(below(150))
        default: return Array(noise(below(choice % 2 == 0 ? 160 : 24)))
        }
    }

    private mutating func flipped(_ count: Int) -> [UInt8] {
        var frame = genuine
        for _ in 0..<count { frame[below(frame.count)] ^= 1 << UInt8(below(8)) }
        return frame
    }

    private mutating func replaced(_ count: Int) -> [UInt8] {
        var frame = genuine
        for _ in 0..<count { frame[below(frame.count)] = UInt8(truncatingIfNeeded: random.next()) }
        return frame
    }
}
