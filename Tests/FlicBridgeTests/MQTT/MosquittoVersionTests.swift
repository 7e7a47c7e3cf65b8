import Synchronization
import Testing

@testable import MQTT

@Suite("MQTT: versions", .enabled(if: MQTTClient.isAvailable), .timeLimit(.minutes(1)))
struct MosquittoVersionTests {
    @Test("A broker is told by MQTT 5 to send no packet of more than 128 KiB and a little")
    func largestPacket() async throws {
        let heard = Mutex<[UInt8]>([])
        let server = try TalkingServer(answering: { bytes in
            heard.withLock { $0 = bytes }
            return [0x20, 3, 0, 0, 0]  // accepted
        })
        let listener = Listener(MQTTOptions(host: "127.0.0.1", port: server.port, clientID: "test"))
        await listener.wait { $0.connections == 1 }
        let connect = heard.withLock { $0 }
        #expect(connect[2..<9] == [0, 4, 0x4D, 0x51, 0x54, 0x54, 5])
        // Behind flags and keep-alive: the length of the properties, and themselves (MQTT 5, 3.1.2.11.4).
        #expect(connect[13...].prefix(Int(connect[12])).contains([0x27, 0, 2, 0, 0x40]))
        await listener.stop()
    }

    @Test("A broker that knows only MQTT 3.1.1 is spoken to in that", arguments: [[0x20, 2, 0, 1], [0x20, 3, 0, 0x84, 0]] as [[UInt8]])
    func oldBroker(refusal: [UInt8]) async throws {
        let versions = Mutex<[UInt8]>([])
        let server = try TalkingServer(answering: { bytes in
            versions.withLock { $0.append(bytes[8]) }
            return bytes[8] == 4 ? [0x20, 2, 0, 0] : refusal
        })
        let listener = Listener(MQTTOptions(host: "127.0.0.1", port: server.port, clientID: "test"))
        await listener.wait { $0.connections == 1 || !$0.errors.isEmpty }
        #expect(listener.heard.errors.isEmpty)
        #expect(versions.withLock { $0 } == [5, 4])
        await listener.stop()
    }

    @Test("A broker that refuses both versions is told as that")
    func strangeBroker() async throws {
        let server = try TalkingServer(answering: { $0[8] == 4 ? [0x20, 2, 0, 1] : [0x20, 3, 0, 0x84, 0] })
        let listener = Listener(MQTTOptions(host: "127.0.0.1", port: server.port, clientID: "test"))
        await listener.wait { $0.connections == 1 || !$0.errors.isEmpty }
        #expect(listener.heard.errors.first == MQTTError(.refused, "127.0.0.1:\(server.port) speaks neither MQTT 5 nor 3.1.1."))
        await listener.stop()
    }

    @Test("A broker's goodbye is the end, with its reason")
    func goodbye() async throws {
        let server = try TalkingServer(answering: { _ in [0x20, 3, 0, 0, 0] + [0xE0, 2, 0x8E, 0] })
        let listener = Listener(MQTTOptions(host: "127.0.0.1", port: server.port, clientID: "test"))
        await listener.wait { !$0.errors.isEmpty }
        #expect(listener.heard.connections == 1)
        #expect(listener.heard.errors.first == MQTTError(.lost, "The connection with 127.0.0.1:\(server.port) was lost: Session taken over"))
        await listener.stop()
    }
}
