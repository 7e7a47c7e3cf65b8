import FoundationEssentials

/// What a daemon writes, each as a line of JSON.
enum SocketAnswers {
    struct Hello: Codable {
        var hello = "flickit"
        var version: String
        var `protocol` = SocketServer.protocolVersion
    }

    struct Result<Value: Encodable>: Encodable {
        var id: RequestID?
        var result: Value
    }

    struct Refusal: Encodable {
        var id: RequestID?
        var error: BridgeRefusal
    }

    /// How far a pairing has come.
    struct Step: Encodable {
        var id: RequestID?
        var event = "pairing"
        var step: String
    }

    /// A request without a result of its own.
    struct Nothing: Codable {}

    /// Members are in alphabetical order.
    static func line(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Nothing in them can fail to be encoded: no number is infinite.
        return Array((try? encoder.encode(value)) ?? Data("{}".utf8)) + [UInt8(ascii: "\n")]
    }
}
