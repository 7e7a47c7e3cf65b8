/// What a daemon is to do, as its file says.
package struct Configuration: Sendable, Equatable {
    /// Name or address of the Bluetooth adapter; nil for the usual one.
    package var adapter: String?
    /// Directory of the paired buttons; nil for the usual one.
    package var store: String?
    /// Where programs of this machine talk to the daemon; nil for the usual place.
    package var socket: Socket?
    /// nil serves no metrics by TCP.
    package var metrics: Metrics?
    /// nil uses no broker.
    package var mqtt: MQTT?
    /// In the order of the file.
    package var rules: [Rule]

    package init(
        adapter: String? = nil,
        store: String? = nil,
        socket: Socket? = nil,
        metrics: Metrics? = nil,
        mqtt: MQTT? = nil,
        rules: [Rule] = []
    ) {
        self.adapter = adapter
        self.store = store
        self.socket = socket
        self.metrics = metrics
        self.mqtt = mqtt
        self.rules = rules
    }

    /// The Unix socket of the daemon.
    package struct Socket: Sendable, Equatable {
        /// An absolute path of 107 bytes at most, as a Unix socket can have (unix(7)).
        package var path: String

        package init(path: String) { self.path = path }
    }

    /// Metrics over HTTP, on the loopback address.
    package struct Metrics: Sendable, Equatable {
        package var port: UInt16

        package init(port: UInt16 = 9464) { self.port = port }
    }
}
