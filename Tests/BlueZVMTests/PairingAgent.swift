import EventLoops
import Foundation
import GATT

/// Whoever sits at the machine, and says yes to everybody who wants to pair: `bluetoothctl`. As long as the object is there.
final class PairingAgent: Sendable {
    private let talker = Locked<Talker?>(nil)

    /// - Parameter adapter: It can be paired with from now on.
    init(for adapter: BluetoothAddress) async throws {
        let text = Locked("")
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let program = try Talker("bluetoothctl", ["--agent", "NoInputNoOutput"]) { [weak talker] piece in
            let isAsked = text.withLock { text in
                text += String(decoding: piece ?? Data(), as: UTF8.self)
                if piece == nil || text.contains("Changing pairable on succeeded") { answer.finish() }
                guard let question = text.range(of: "Accept pairing") else { return false }
                text.removeSubrange(..<question.upperBound)
                return true
            }
            if isAsked { try? talker?.withLock { $0 }?.say("yes") }
        }
        talker.withLock { $0 = program }
        try program.say("select \(adapter)\npairable on")
        for await _ in answers {}
    }
}
