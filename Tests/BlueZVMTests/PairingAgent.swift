import EventLoops
import Foundation
import GATT

/// Whoever sits at the machine, and says yes to everybody who wants to pair: `bluetoothctl`. As long as the object is there.
final class PairingAgent: Sendable {
    private let talker = Locked<Talker?>(nil)

    /// - Parameter adapter: It can be paired with from now on.
    init(for adapter: BluetoothAddress) async throws {
        // It knows of no adapter before it says the first of these.
        let answers = ["Agent registered": "select \(adapter)\npairable on", "Accept pairing": "yes"]
        let text = Locked("")
        let (readiness, ready) = AsyncStream.makeStream(of: Void.self)
        let program = try Talker("bluetoothctl", ["--agent", "NoInputNoOutput"]) { [weak talker] piece in
            let said = text.withLock { text in
                text += String(decoding: piece ?? Data(), as: UTF8.self)
                if piece == nil || text.contains("Changing pairable on succeeded") { ready.finish() }
                let said = answers.keys.compactMap { text.range(of: $0) }.min { $0.lowerBound < $1.lowerBound }
                defer { if let said { text.removeSubrange(..<said.upperBound) } }
                return said.map { String(text[$0]) }
            }
            if let said, let answer = answers[said] { try? talker?.withLock { $0 }?.say(answer) }
        }
        talker.withLock { $0 = program }
        for await _ in readiness {}
    }
}
