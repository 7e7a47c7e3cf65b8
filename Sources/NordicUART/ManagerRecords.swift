import UART

/// What the program has set, and what it is shown.
struct ManagerRecords {
    var delegate: (any NRFManagerDelegate)?
    var connectionCallback: (() -> Void)?
    var disconnectionCallback: (() -> Void)?
    var dataCallback: ((_ data: Data?, _ string: String?) -> Void)?
    var verbose = false
    var autoConnect: Bool
    var status = ConnectionStatus.disconnected
    /// The connection that the program knows of.
    var connection: UARTConnection?
    /// The program has asked for its end.
    var isDisconnecting = false

    /// What waits to be sent, in calls and bytes.
    private var waiting = (calls: 0, bytes: 0)
    /// More is refused.
    private static let most = (calls: 1024, bytes: 1 << 20)

    init(
        delegate: (any NRFManagerDelegate)?,
        connectionCallback: (() -> Void)?,
        disconnectionCallback: (() -> Void)?,
        dataCallback: ((_ data: Data?, _ string: String?) -> Void)?,
        autoConnect: Bool
    ) {
        self.delegate = delegate
        self.connectionCallback = connectionCallback
        self.disconnectionCallback = disconnectionCallback
        self.dataCallback = dataCallback
        self.autoConnect = autoConnect
    }

    /// Takes room for what is to be sent. Returns whether there is some; what is larger than all of it has to find nothing that waits.
    mutating func take(_ bytes: Int) -> Bool {
        guard waiting.calls == 0 || waiting.calls < Self.most.calls && waiting.bytes + bytes <= Self.most.bytes else { return false }
        waiting.calls += 1
        waiting.bytes += bytes
        return true
    }

    /// Something was sent, or never will be.
    mutating func give(_ bytes: Int) {
        waiting.calls -= 1
        waiting.bytes -= bytes
    }
}
