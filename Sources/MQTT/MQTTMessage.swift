/// Something that is published.
package struct MQTTMessage: Sendable, Equatable {
    /// Whether, and how often, a message arrives (MQTT 3.1.1, 4.3).
    package enum Quality: Int32, Sendable {
        /// Once, or not at all.
        case atMostOnce = 0
        /// Once, or several times.
        case atLeastOnce = 1
    }

    package let topic: String
    package let payload: [UInt8]
    package let quality: Quality
    /// The broker keeps it for those who subscribe later. One without a payload removes what was kept.
    package let isRetained: Bool

    package init(topic: String, payload: [UInt8], quality: Quality, isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.quality = quality
        self.isRetained = isRetained
    }
}
