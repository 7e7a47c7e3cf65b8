#if !MQTT
    package import EventLoops

    extension MQTTClient {
        /// Whether this build can do MQTT.
        package static let isAvailable = false

        /// How connections are made on a loop: here, not at all.
        package static func opener(on loop: DispatchLoop) -> MQTTOpener {
            { _, hear in AbsentConnection(loop, hear) }
        }
    }

    /// Takes the place of a connection in a build without MQTT.
    private final class AbsentConnection: MQTTConnection, @unchecked Sendable {  // used on the loop only
        private let hear: (MQTTConnectionEvent) -> Void

        init(_ loop: DispatchLoop, _ hear: @escaping (MQTTConnectionEvent) -> Void) {
            self.hear = hear
            loop.execute { [self] in self.hear(.ended(.unavailable)) }
        }

        func publish(_ message: MQTTMessage) throws(MQTTError) -> Int32 { throw .unavailable }
        func subscribe(to filter: String) {}
        func close() {}
        func abandon() {}
    }
#endif
