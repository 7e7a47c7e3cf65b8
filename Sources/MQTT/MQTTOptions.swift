/// Which broker a client connects to, and how.
package struct MQTTOptions: Sendable, Equatable {
    /// TLS to a broker. Paths are absolute.
    package struct TLS: Sendable, Equatable {
        /// Certificates that are trusted, in PEM; nil trusts those of the system.
        package var caFile: String?
        /// The client's certificate, in PEM; together with ``keyFile``, or nil.
        package var certFile: String?
        /// The key of that certificate, which must not be encrypted.
        package var keyFile: String?
        /// Whether the broker's certificate is not checked.
        package var isInsecure: Bool

        package init(caFile: String? = nil, certFile: String? = nil, keyFile: String? = nil, isInsecure: Bool = false) {
            self.caFile = caFile
            self.certFile = certFile
            self.keyFile = keyFile
            self.isInsecure = isInsecure
        }
    }

    /// A name or an address.
    package var host: String
    package var port: UInt16
    /// Of several clients with the same one, a broker keeps the last.
    package var clientID: String
    package var username: String?
    package var password: String?
    /// nil connects without TLS.
    package var tls: TLS?
    /// A broker that was silent for so long is asked whether it is there; in whole seconds, at least 5.
    package var keepAlive = 30
    /// What the broker publishes when the client is gone without a goodbye.
    package var will: MQTTMessage?

    package init(host: String, port: UInt16 = 1883, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }

    /// For errors.
    var broker: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
