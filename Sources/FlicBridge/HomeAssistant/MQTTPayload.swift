import FoundationEssentials
import MQTT

extension MQTTMessage {
    /// Something that is retained: how it is now, or nothing to remove it.
    static func retained(_ topic: String, _ payload: [UInt8] = []) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: payload, quality: .atLeastOnce, isRetained: true)
    }

    /// Something that happens now.
    static func event(_ topic: String, _ payload: [UInt8]) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: payload, quality: .atLeastOnce, isRetained: false)
    }
}

/// Documents as payloads.
enum MQTTPayload {
    /// - Parameter isSnakeCase: The manner of Home Assistant's settings, in place of the program's own.
    static func json(_ document: some Encodable, isSnakeCase: Bool) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isSnakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
        guard let data = try? encoder.encode(document) else { preconditionFailure("documents are made of texts, whole numbers and finite volts") }
        return [UInt8](data)
    }
}
