/// Why there is no connection to a broker.
package struct MQTTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    package enum Code: String, Hashable, Sendable {
        /// This build has no MQTT.
        case unavailable
        /// The options make no sense to the library.
        case invalid
        /// There is no address for the name.
        case unresolvable
        /// No connection could be made.
        case unreachable
        /// User name or password are wrong, or are wanted.
        case badCredentials
        /// The broker refuses this client for another reason.
        case refused
        /// TLS does not come about: a certificate is not trusted, does not fit the name, or cannot be read.
        case tls
        /// The connection was lost, or closed by the broker.
        case lost
        /// The broker does not answer.
        case silent
        /// What the broker says is no MQTT.
        case malformed
    }

    package let code: Code
    /// A sentence.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Another attempt may have another end.
    package var isWorthAnotherAttempt: Bool { code != .unavailable }

    /// What a build without the trait says.
    package static let unavailable = MQTTError(.unavailable, "This build cannot do MQTT: build with '--traits MQTT' (Debian: libmosquitto-dev).")
}
