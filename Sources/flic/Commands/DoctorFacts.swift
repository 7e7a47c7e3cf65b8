import BlueZ
import FlicBridge
import FoundationEssentials

/// All that `doctor` judges by.
struct DoctorFacts: Sendable {
    var system = SystemFacts()
    var bluetooth = BluetoothFacts()
    /// The adapter that was asked for, by name or address; nil for any.
    var adapter: String?
    /// Where the environment says that the system bus is.
    var busAddress: String?
    var store: Result<StoreFacts, PairingStoreError>
    /// Those that are asked for.
    var buttons: [ButtonInfo] = []
    /// What was heard; nil if nothing was listened for.
    var hearing: Hearing?
    /// Now.
    var date: Date

    /// What was heard while it was listened.
    struct Hearing: Sendable, Equatable {
        /// How long it was listened at most.
        var time: Duration
        /// Devices of all kinds.
        var deviceCount = 0
        var buttons: [BluetoothAddress: Voice] = [:]
    }

    /// A button that was heard.
    struct Voice: Sendable, Equatable {
        /// The strongest signal, in dBm; nil if it is not known.
        var rssi: Int?
        /// It says that it is connected to another device. Only buttons in pairing mode say anything.
        var isConnectedElsewhere = false
    }

    /// A link to a button that somebody on this machine has.
    func link(to button: ButtonInfo) -> BluetoothFacts.Link? { bluetooth.links.first { $0.address == button.address } }

    /// Those that can be heard: a button with a link is silent, and one whose pairing is void is of no use.
    var audibleButtons: [ButtonInfo] { buttons.filter { !$0.isUnpaired && link(to: $0) == nil } }
}
