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
