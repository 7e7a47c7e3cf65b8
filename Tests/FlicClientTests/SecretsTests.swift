import Fixtures
import FlicClient
import FlicSimulator
import Foundation
import Synchronization
import Testing

@testable import FlicClient

@Suite("Secrets: keys in logs, traces and descriptions")
struct SecretsTests {
    @Test("Paired, verified, found void, refused: neither the pairing's key nor a session's is in any remark or record", arguments: [23, 140])
    func life(mtu: Int) async throws {
        let recording = try Recording()
        let remarks = Mutex<[String]>([])
        let loop = VirtualLoop(patience: .seconds(30))
        let record = try await loop.run {
            let air = SimulatedAir(loop: loop, mtu: mtu)
            let button = SimulatedButton(seed: 3, loop: loop)
            await air.place(button)
            let store = MemoryStore()
            let flic = Scene.application(on: air, store: store) {
                $0.recorder = recording.recorder
                $0.log = { level, text in remarks.withLock { $0.append("\(level) \(text)") } }
            }
            await flic.observe { notice in remarks.withLock { $0.append("\(notice)") } }
            await flic.start()
            await button.enterPublicMode()
            let paired = try await flic.pair()
            await paired.setNickname("Hall")
            for fault in [nil, \Faults.deniesPairings, \Faults.forgesProof] {
                if let fault { await button.setFaults { $0[keyPath: fault] = true } }
                await air.loseLink(to: button.address)
                await button.click()
                await loop.pause(for: .seconds(20))
            }
            remarks.withLock { $0.append("\(paired) \(paired.info) \(store.contents)") }
            return store.contents[0]
        }
        var text = ""
        dump(record, to: &text)
        let lines = try await recording.lines
        let keys = try [record.pairing.key] + TraceRecorderTests.keys(of: lines, record.pairing)
        #expect(keys.count > 1 && remarks.withLock { $0.count } > 20)
        let written = Array((lines + remarks.withLock { $0 } + [text]).joined(separator: "\n").utf8)
        for key in keys { #expect(SecretSearch.find(key.withBytes { Array($0) }, in: written) == []) }
    }

    @Test("The search finds a key in every form", arguments: ["bytes", "hexadecimal", "upper-case hexadecimal", "list", "spaced list", "base64"])
    func search(form: String) {
        let key = (0..<16).map { UInt8($0 * 13 + 7) }
        let texts = [
            "hexadecimal": key.hex, "upper-case hexadecimal": key.hex.uppercased(), "list": "\(key.map(String.init).joined(separator: ","))",
            "spaced list": "\(key)",
        ]
        for shift in 0..<3 {
            let front = [UInt8](repeating: 0x61, count: shift)
            let text = form == "base64" ? Data(front + key + front).base64EncodedString() : texts[form]
            #expect(SecretSearch.find(key, in: front + (text.map { Array($0.utf8) } ?? key) + front) == [form])
        }
    }
}
