import FlicClient
import MQTT

extension MQTTOptions {
    /// The client identifier where the configuration has none: the same for this machine, and telling nothing of it. 20 letters and digits or hyphens,
    /// which all brokers take (MQTT 3.1.1, 3.1.3.1).
    static let usualClientID = "flickit-\(ButtonIdentifier.machineName(for: "client identifier"))"

    /// - Throws: If the password cannot be read.
    init(_ configuration: Configuration.MQTT) throws(SecretFile.Problem) {
        self.init(host: configuration.host, port: configuration.port, clientID: configuration.clientID ?? Self.usualClientID)
        username = configuration.username
        if let path = configuration.passwordFile { password = try Self.password(SecretFile(path: path)) }
        tls = configuration.tls.map { TLS(caFile: $0.caFile, certFile: $0.certFile, keyFile: $0.keyFile, isInsecure: $0.insecure) }
    }

    private static func password(_ file: SecretFile) throws(SecretFile.Problem) -> String {
        let line = try file.firstLine()
        guard !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
            throw file.problem("has no password in its first line: it is not text in UTF-8")
        }
        return text
    }
}
