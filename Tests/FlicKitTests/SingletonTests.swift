import FlicClient
import FlicKit
import Foundation
import GATT
import Testing

/// The one manager of a process, on the real main queue. Everything about it is in one test, since it can be made only once.
@Suite("Singleton")
struct SingletonTests {
    @Test("A20, A24, A27, A40, B24, B25, B37: shared() is nil before configure; the second configure changes nothing; calls come on the main queue")
    func configure() async throws {
        #expect(FLICManager.shared() == nil)
        let application = Application()
        let other = Application()
        var options = FLICOptions()
        options.store = MemoryStore()
        options.central = AbsentCentral()
        FLICOptions.standard = options

        let manager = try #require(FLICManager.configure(with: application, buttonDelegate: application, background: true))
        #expect(FLICManager.shared() === manager)
        #expect(FLICManager.configure(with: other, buttonDelegate: other, background: false) === manager)
        #expect(FLICManager.configure(with: other, buttonDelegate: nil, background: false, options: FLICOptions()) === manager)
        #expect(manager.delegate === application && manager.buttonDelegate === application)

        var calls = application.calls.makeAsyncIterator()
        #expect(await calls.next() == "restored unknown")
        #expect(await calls.next() == "state unsupported")
        let (results, continuation) = AsyncStream.makeStream(of: String.self)
        await MainActor.run {
            manager.scanForButtons { _ in
            } completion: { button, error in
                MainActor.assumeIsolated { _ = continuation.yield("\(button == nil) \(Program.text(error)) \(manager.isScanning)") }
            }
            #expect(manager.isScanning)
        }
        var done = results.makeAsyncIterator()
        #expect(await done.next() == "true scanner.bluetoothNotActivated false")
        await #expect { try await manager.forgetButton(FLICButton()) } throws: { Program.text($0) == "flic.alreadyForgotten" }
    }
}

/// A program's delegate, isolated to the main actor as they are in SwiftUI programs (contract A21).
@MainActor
private final class Application: NSObject, @preconcurrency FLICManagerDelegate, @preconcurrency FLICButtonDelegate {
    nonisolated let calls: AsyncStream<String>
    private nonisolated let continuation: AsyncStream<String>.Continuation

    nonisolated override init() { (calls, continuation) = AsyncStream.makeStream(of: String.self) }

    func managerDidRestoreState(_ manager: FLICManager) {
        dispatchPrecondition(condition: .onQueue(.main))
        continuation.yield("restored \(manager.state)")
    }

    func manager(_ manager: FLICManager, didUpdate state: FLICManagerState) { continuation.yield("state \(state)") }
    func buttonDidConnect(_ button: FLICButton) {}
    func buttonIsReady(_ button: FLICButton) {}
    func button(_ button: FLICButton, didDisconnectWithError error: (any Error)?) {}
    func button(_ button: FLICButton, didFailToConnectWithError error: (any Error)?) {}
}
