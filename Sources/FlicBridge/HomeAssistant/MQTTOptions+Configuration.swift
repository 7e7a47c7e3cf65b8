import FlicClient
import FoundationEssentials
import Glibc
import MQTT

extension MQTTOptions {
    /// Longer passwords are refused, in bytes.
    private static let longestPassword = 65_535

    /// The client identifier where the configuration has none: the same for this machine, and telling nothing of it. 20 letters and digits or hyphens,
    /// which all brokers take (MQTT 3.1.1, 3.1.3.1).
    static let usualClientID = "flickit-\(ButtonIdentifier.machineName(for: "client identifier"))"

    /// - Throws: `PairingStoreError` if the password cannot be read.
    init(_ configuration: Configuration.MQTT) throws(PairingStoreError) {
        self.init(host: configuration.host, port: configuration.port, clientID: configuration.clientID ?? Self.usualClientID)
        username = configuration.username
        if let path = configuration.passwordFile { password = try Self.password(path) }
        tls = configuration.tls.map { TLS(caFile: $0.caFile, certFile: $0.certFile, keyFile: $0.keyFile, isInsecure: $0.insecure) }
    }

    /// The first line of a file.
    private static func password(_ path: String) throws(PairingStoreError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)  // a pipe without a writer is empty
        guard descriptor >= 0 else { throw PairingStoreError(errno: errno, "\(path) could not be opened") }
        defer { close(descriptor) }
        let bytes = try PrivateFile.read(descriptor, named: path, limit: longestPassword)
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty, !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
            throw PairingStoreError(.failed, "The first line of \(path) is no password: it is empty, or not text in UTF-8.")
        }
        return text
    }
}
