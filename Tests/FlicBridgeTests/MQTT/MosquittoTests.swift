import EventLoops
import Fixtures
import FlicBridge
import FlicSimulator
import Foundation
import Synchronization
import Testing

@testable import MQTT

@Suite("MQTT with a real broker", .enabled(if: Mosquitto.isThere), .timeLimit(.minutes(2)), .serialized)
struct MosquittoTests {
    private static func options(_ broker: Mosquitto, _ clientID: String = "listener", host: String = "127.0.0.1") -> MQTTOptions {
        MQTTOptions(host: host, port: broker.port, clientID: clientID)
    }

    @Test("Messages arrive with their bytes, also those of no bytes and of all bytes; retained ones are marked")
    func messages() async throws {
        let broker = try Mosquitto()
        let listener = Listener(Self.options(broker), subscribingTo: ["a/#"])
        listener.publish("a/empty", "")
        listener.publish("a/long", String(repeating: "ü", count: 30_000))
        listener.publish("a/kept", "1", isRetained: true)
        await listener.wait { $0.messages.count == 3 }
        #expect(listener.heard.messages.map(\.topic) == ["a/empty", "a/long", "a/kept"])
        #expect(listener.heard.messages.map(\.payload.count) == [0, 60_000, 1])
        let late = Listener(Self.options(broker, "late"), subscribingTo: ["a/#"])
        await late.wait { !$0.messages.isEmpty }
        #expect(late.heard.messages.map(\.topic) == ["a/kept"] && late.heard.messages.allSatisfy { $0.isRetained })
        await late.stop()
        await listener.stop()
    }

    @Test("A thousand messages arrive once each and in their order")
    func many() async throws {
        let broker = try Mosquitto()
        let listener = Listener(Self.options(broker), subscribingTo: ["n"])
        for number in 0..<1000 { listener.publish("n", "\(number)") }
        await listener.wait { $0.messages.count >= 1000 }
        await listener.stop()
        #expect(listener.heard.messages.map { String(decoding: $0.payload, as: UTF8.self) } == (0..<1000).map { "\($0)" })
    }

    @Test("What is larger than 64 KiB does not arrive; what follows does")
    func large() async throws {
        let broker = try Mosquitto()
        let listener = Listener(Self.options(broker), subscribingTo: ["a/#"])
        for size in [65_536, 65_537, 131_000, 1_000_000] { listener.publish("a/\(size)", String(repeating: "x", count: size)) }
        listener.publish("a/after", "1")
        await listener.wait { $0.messages.contains { $0.topic == "a/after" } }
        #expect(listener.heard.messages.map(\.topic) == ["a/65536", "a/after"])
        #expect(listener.heard.connections == 1)
        await listener.stop()
    }

    @Test("A goodbye keeps the will back; a connection that just ends does not")
    func will() async throws {
        let broker = try Mosquitto()
        let listener = Listener(Self.options(broker), subscribingTo: ["will/+"])
        await listener.wait { $0.connections == 1 }
        var options = Self.options(broker, "polite")
        options.will = MQTTMessage(topic: "will/polite", payload: [1], quality: .atLeastOnce, isRetained: false)
        let polite = Listener(options)
        await polite.wait { $0.connections == 1 }
        await polite.stop()
        options.clientID = "rude"
        options.will = MQTTMessage(topic: "will/rude", payload: [1], quality: .atLeastOnce, isRetained: false)
        await Self.comeAndGo(options)
        await listener.wait { !$0.messages.isEmpty }
        #expect(listener.heard.messages.map(\.topic) == ["will/rude"])
        await listener.stop()
    }

    /// Nobody holds the client any more when this returns.
    private static func comeAndGo(_ options: MQTTOptions) async {
        let rude = Listener(options)
        await rude.wait { $0.connections == 1 }
    }

    // MARK: Refusals

    /// Why there is no connection.
    private func refusal(_ options: MQTTOptions) async -> MQTTError? {
        let listener = Listener(options)
        await listener.wait { !$0.errors.isEmpty || $0.connections > 0 }
        let heard = listener.heard
        await listener.stop()
        return heard.connections > 0 ? nil : heard.errors.first
    }

    @Test("A name without an address, and a port without a broker, are told as that")
    func nobody() async throws {
        let broker = try Mosquitto()
        broker.kill()
        let unreachable = await refusal(Self.options(broker))
        #expect(unreachable?.code == .unreachable && unreachable?.description.contains("127.0.0.1:\(broker.port)") == true)
        let unresolvable = await refusal(Self.options(broker, host: "no-such-broker.invalid"))
        #expect(unresolvable?.code == .unresolvable && unresolvable?.description.contains("'no-such-broker.invalid'") == true)
    }

    @Test("Wrong and missing credentials are told as that, the right ones are taken")
    func credentials() async throws {
        let broker = try Mosquitto { directory in
            try Mosquitto.run("mosquitto_passwd", "-b", "-c", "passwords", "hall", "secret", in: directory)
            return ["allow_anonymous false", "password_file \(directory.appending(path: "passwords").path)"]
        }
        var options = Self.options(broker)
        let anonymous = await refusal(options)
        #expect(anonymous?.code == .badCredentials && anonymous?.description.contains("a client without user name") == true)
        options.username = "hall"
        options.password = "wrong"
        let wrong = await refusal(options)
        #expect(wrong?.code == .badCredentials && wrong?.description.contains("'hall'") == true && wrong?.description.contains("wrong'") == false)
        options.password = "secret"
        #expect(await refusal(options) == nil)
    }

    @Test("Somebody who is no broker is told as that")
    func noBroker() async throws {
        let server = try TalkingServer("220 mail.example ESMTP\r\n")
        let error = await refusal(MQTTOptions(host: "127.0.0.1", port: server.port, clientID: "test"))
        #expect(error?.code == .malformed || error?.code == .lost)
        #expect(error?.description.contains("127.0.0.1:\(server.port)") == true)
    }

    /// Keeps a connection.
    private final class Holder: @unchecked Sendable {  // set and used on the loop only
        var connection: (any MQTTConnection)?
    }

    @Test("Somebody who says nothing is given up after 20 s")
    func silence() async throws {
        let server = try TalkingServer("")
        let time = VirtualLoop()
        let loop = time.makeLoop()
        let holder = Holder()
        let (error, now) = try await time.run {
            await withCheckedContinuation { continuation in
                loop.execute {
                    let options = MQTTOptions(host: "127.0.0.1", port: server.port, clientID: "test")
                    holder.connection = MQTTClient.opener(on: loop)(options) { event in
                        if case .ended(let error) = event { continuation.resume(returning: (error, loop.now)) }
                    }
                }
            }
        }
        #expect(error == MQTTError(.silent, "127.0.0.1:\(server.port) has not answered within 20 s."))
        #expect(now == .seconds(20))
    }

    @Test("TLS: only a certificate that is trusted and fits the name, unless that is not wanted", .enabled(if: Mosquitto.has("openssl")))
    func tls() async throws {
        let broker = try Mosquitto { directory in
            try Self.makeCertificates(in: directory)
            func path(_ name: String) -> String { directory.appending(path: name).path }
            return ["allow_anonymous true", "cafile \(path("ca.crt"))", "certfile \(path("broker.crt"))", "keyfile \(path("broker.key"))"]
        }
        let authority = broker.directory.appending(path: "ca.crt").path
        var options = Self.options(broker, host: "localhost")
        options.tls = MQTTOptions.TLS(caFile: authority)
        #expect(await refusal(options) == nil)
        options.tls = MQTTOptions.TLS()
        let untrusted = await refusal(options)
        #expect(untrusted?.code == .tls && untrusted?.description.contains("certificate verify failed") == true)
        options.tls = MQTTOptions.TLS(isInsecure: true)
        #expect(await refusal(options) == nil)
        options.tls = MQTTOptions.TLS(caFile: authority)
        options.host = "127.0.0.1"
        #expect(await refusal(options)?.code == .tls)
        options.tls = nil
        let plain = await refusal(options)
        #expect(plain?.code == .lost && plain?.description.contains("it may want TLS") == true)
        options.tls = MQTTOptions.TLS(caFile: authority + ".missing")
        let missing = await refusal(options)
        #expect(missing?.code == .tls && missing?.description.contains("ca.crt.missing") == true)
    }

    @Test("TLS: a broker that wants a certificate gets one", .enabled(if: Mosquitto.has("openssl")))
    func clientCertificate() async throws {
        let broker = try Mosquitto { directory in
            try Self.makeCertificates(in: directory)
            func path(_ name: String) -> String { directory.appending(path: name).path }
            return [
                "allow_anonymous true", "cafile \(path("ca.crt"))", "certfile \(path("broker.crt"))", "keyfile \(path("broker.key"))",
                "require_certificate true",
            ]
        }
        func path(_ name: String) -> String { broker.directory.appending(path: name).path }
        var options = Self.options(broker, host: "localhost")
        options.tls = MQTTOptions.TLS(caFile: path("ca.crt"), certFile: path("client.crt"), keyFile: path("client.key"))
        #expect(await refusal(options) == nil)
        options.tls = MQTTOptions.TLS(caFile: path("ca.crt"))
        let refused = await refusal(options)
        #expect(refused?.code == .tls || refused?.code == .lost, "\(String(describing: refused))")
    }

    /// A throw-away authority, and certificates by it for `localhost` and for a client.
    private static func makeCertificates(in directory: URL) throws {
        try Mosquitto.run(
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=test authority",
            "-keyout",
            "ca.key",
            "-out",
            "ca.crt",
            in: directory
        )
        for (name, subject, names) in [
            ("broker", "/CN=broker", "subjectAltName=DNS:localhost"), ("client", "/CN=client", "subjectAltName=DNS:client"),
        ] {
            try Mosquitto.run(
                "openssl",
                "req",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-subj",
                subject,
                "-keyout",
                "\(name).key",
                "-out",
                "\(name).csr",
                in: directory
            )
            try Data(names.utf8).write(to: directory.appending(path: "\(name).ext"))
            try Mosquitto.run(
                "openssl",
                "x509",
                "-req",
                "-in",
                "\(name).csr",
                "-CA",
                "ca.crt",
                "-CAkey",
                "ca.key",
                "-CAcreateserial",
                "-days",
                "2",
                "-extfile",
                "\(name).ext",
                "-out",
                "\(name).crt",
                in: directory
            )
        }
    }
}
