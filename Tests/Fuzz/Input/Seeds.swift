import Fixtures
import Foundation

/// Writes a target's first inputs, one file each, and ends the process, if the environment asks for them; else does nothing.
///
/// - Parameter seeds: Are made only if they are asked for.
package func writeSeeds(_ seeds: () -> [[UInt8]]) -> CInt {
    guard let directory = ProcessInfo.processInfo.environment["FLICKIT_FUZZ_SEEDS"] else { return 0 }
    do {
        for (number, seed) in seeds().enumerated() { try Data(seed).write(to: URL(filePath: "\(directory)/seed-\(number)")) }
        exit(0)
    } catch {
        fatalError("\(error)")
    }
}

extension [UInt8] {
    /// As ``FuzzInput/piece()`` reads it.
    package var asPiece: [UInt8] { [UInt8(Swift.min(count, 255))] + prefix(255) }
}

/// What one side of a link says, as the scenes of sessions read it: each packet of the vectors alone, and what was said in the recorded sessions, as it was on
/// the air and signed anew.
///
/// - Parameters:
///   - speaker: `button` or `client`, as in the recorded sessions.
///   - direction: `from_button` or `to_button`, as in the vectors.
package func stories(of speaker: String, _ direction: String) -> [[UInt8]] {
    let vectors = JSONValue.vectors("packets")
    let packets = (vectors.flic2.array + vectors.duo.array).filter { $0.direction.string == direction }
    var stories: [[UInt8]] = packets.flatMap { $0.cases.array.compactMap(\.body.bytes) }.map { step($0) }
    for name in ["full-verify", "quick-verify", "queued-events", "unpaired"] {
        for session in JSONValue.vectors("transcript-\(name)").sessions.array {
            let steps = session.steps.array.filter { $0.from.string == speaker }
            let frames = steps.compactMap(\.frame.bytes)
            let bodies = steps.compactMap(\.completes.body.bytes)
            stories.append(frames.flatMap { [4] + $0.asPiece })
            stories.append(bodies.flatMap { step($0) })
        }
    }
    return stories
}

/// As the scenes read it: the opcode is in its first byte.
private func step(_ body: [UInt8]) -> [UInt8] {
    guard let opcode = body.first else { return [] }
    return [opcode << 3 | opcode >> 5 & 1] + Array(body.dropFirst()).asPiece
}
