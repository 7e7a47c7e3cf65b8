import EventLoops
import FlicSimulator
import Foundation
import GATT
import VirtualRadio

/// An adapter, an application on it, and the button that belongs to the two. Several stand beside each other on one bluetoothd.
actor World {
    let number: Int
    let chronicle: Chronicle
    let peripheral: RadioPeripheral
    let button: SimulatedButton
    let hand: Hand
    private let onAir: ButtonOnAir
    private let flic: String
    private let store: URL
    private(set) var application: Application?

    /// The adapter's name at the start of each round.
    nonisolated var adapter: String { "hci\(number)" }
    /// The adapter's own address then.
    nonisolated var adapterAddress: String { String(format: "00:AA:01:%02X:00:%02X", number, number) }
    nonisolated var buttonAddress: String { button.address.description }
    /// The number of the button's controller, which is in its address.
    nonisolated var buttonNumber: Int { Int(button.address.value >> 16 & 0xFF) }

    /// Puts a button on the air.
    init(number: Int, flic: String, directory: URL) async throws {
        self.number = number
        self.flic = flic
        let chronicle = Chronicle()
        self.chronicle = chronicle
        store = directory.appending(path: "world\(number)")
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        chown(store.path, 65534, 65534)
        // Half of the buttons tell when their handles change.
        peripheral = RadioPeripheral(
            path: Machine.radioHosts,
            loop: DispatchLoop(label: "button\(number)"),
            tellsChanges: number.isMultiple(of: 2)
        ) { chronicle.notice("\($0)") }
        onAir = ButtonOnAir(peripheral: peripheral, log: { chronicle.notice($0) })
        button = try await onAir.start(seed: UInt64(number) + 1)
        hand = Hand(button, chronicle)
    }

    /// Pairs the button. No other button may be public meanwhile.
    ///
    /// - Returns: Whether that went well.
    func pair() async throws -> Bool {
        await button.enterPublicMode()
        let pairing = try Application(flic, ["pair", "--adapter", adapter] + common, chronicle: chronicle)
        return await pairing.end(within: .seconds(60)) == 0
    }

    private var common: [String] { ["--store", store.path, "--trust-test-root", "published", "--json", "--verbose"] }

    func startApplication(adapter: String) throws {
        application = try Application(
            flic,
            ["listen", "--wait", "--mode", "all", "--queue", "all", "--adapter", adapter] + common,
            chronicle: chronicle
        )
    }

    /// Ends the application as an interrupt does.
    ///
    /// - Returns: How it ended, see ``Application/end(within:)``.
    func endApplication() async -> Int32? {
        application?.send(SIGINT)
        defer { application = nil }
        return await application?.end(within: .seconds(20))
    }

    /// What is stored of the pairing.
    func storedPairing() -> Pairing? {
        guard let data = try? Data(contentsOf: store.appending(path: "buttons.json")) else { return nil }
        return try? JSONDecoder().decode(Stored.self, from: data).buttons.first
    }

    private struct Stored: Decodable {
        let buttons: [Pairing]
    }

    /// What never changes in a pairing that is kept.
    struct Pairing: Decodable, Equatable {
        let address: String
        let pairing: String
        let wantsConnection: Bool
        let isUnpaired: Bool?
    }
}
