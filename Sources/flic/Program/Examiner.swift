import BlueZ
import FlicClient
import FoundationEssentials

/// How `doctor` looks at the world. Tests give it another one.
struct Examiner: Sendable {
    var system: @Sendable () -> SystemFacts = { SystemFacts(root: "") }
    /// Of Bluetooth as the transport would use it. The kernel may be known to have an adapter.
    var bluetooth: @Sendable (TransportRequest, _ expectsAdapter: Bool) async throws -> BluetoothFacts = { request, expectsAdapter in
        let loop = request.loop as? DispatchLoop ?? DispatchLoop(label: "flic.doctor")
        return await BluetoothExaminer(adapter: try request.adapterChoice(), loop: loop).examine(expectsAdapter: expectsAdapter)
    }
    /// Of the store in this directory; nil stands for the usual one.
    var store: @Sendable (URL?) async throws(PairingStoreError) -> StoreFacts = { directory throws(PairingStoreError) in
        guard let directory else { return await FileStore(directory: try FileStore.defaultDirectory(application: "flickit")).examine() }
        return await FileStore(directory: directory).examine()
    }
}

extension TransportRequest {
    func adapterChoice() throws(ArgumentTable.UsageError) -> AdapterChoice {
        guard let adapter else { return .automatic }
        guard let choice = AdapterChoice(adapter) else {
            throw ArgumentTable.UsageError(text: "The option '--adapter' needs a name such as hci0, or an address, not '\(adapter)'.")
        }
        return choice
    }
}
