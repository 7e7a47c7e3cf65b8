extension Configuration {
    /// A broker, and how Home Assistant finds the buttons there.
    package struct MQTT: Sendable, Equatable {
        /// How Home Assistant is told of the buttons.
        package enum Discovery: String, Sendable, CaseIterable {
            /// One message for a button.
            case device
            /// One message for each of its entities.
            case entity
            /// Not at all.
            case none
        }

        /// A name or an address.
        package var host: String
        package var port: UInt16
        /// nil connects without one.
        package var username: String?
        /// An absolute path. The password is the first line of this file, which others must not be able to read.
        package var passwordFile: String?
        /// nil connects without TLS.
        package var tls: TLS?
        /// 1 to 65,535 bytes; nil leaves it to the client.
        package var clientID: String?
        /// In front of all topics of the daemon: no `+`, `#` or NUL, and no `/` at either end.
        package var baseTopic: String
        /// In front of all topics by which Home Assistant finds the buttons; as ``baseTopic``.
        package var discoveryPrefix: String
        package var discovery: Discovery
        /// Areas that Home Assistant is to suggest, by name, serial number, uuid or identifier of a button.
        package var suggestedAreas: [String: String]
        /// An event that is older is not published; nil publishes it at any age.
        package var maxAge: Duration?

        package init(
            host: String,
            port: UInt16 = 1883,
            username: String? = nil,
            passwordFile: String? = nil,
            tls: TLS? = nil,
            clientID: String? = nil,
            baseTopic: String = "flickit",
            discoveryPrefix: String = "homeassistant",
            discovery: Discovery = .device,
            suggestedAreas: [String: String] = [:],
            maxAge: Duration? = nil
        ) {
            self.host = host
            self.port = port
            self.username = username
            self.passwordFile = passwordFile
            self.tls = tls
            self.clientID = clientID
            self.baseTopic = baseTopic
            self.discoveryPrefix = discoveryPrefix
            self.discovery = discovery
            self.suggestedAreas = suggestedAreas
            self.maxAge = maxAge
        }

        /// TLS to the broker. Paths are absolute.
        package struct TLS: Sendable, Equatable {
            /// Certificates that are trusted; nil trusts those of the system.
            package var caFile: String?
            /// The client's certificate; together with ``keyFile``, or nil.
            package var certFile: String?
            package var keyFile: String?
            /// Whether the broker's certificate is not checked.
            package var insecure: Bool

            package init(caFile: String? = nil, certFile: String? = nil, keyFile: String? = nil, insecure: Bool = false) {
                self.caFile = caFile
                self.certFile = certFile
                self.keyFile = keyFile
                self.insecure = insecure
            }
        }
    }
}
