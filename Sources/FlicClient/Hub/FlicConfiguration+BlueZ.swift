public import BlueZ
import Logs

extension FlicConfiguration {
    /// Reaches the vendor's buttons through the system's bluetoothd.
    ///
    /// - Parameters:
    ///   - store: Where pairings are kept.
    ///   - adapter: Which Bluetooth adapter to use.
    public init(store: any PairingStore, adapter: AdapterChoice = .automatic) {
        self.init(central: BlueZCentral(session: BlueZSession(adapter: adapter, log: StandardLog.writeBluetooth)), store: store)
    }
}
