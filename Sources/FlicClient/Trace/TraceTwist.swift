package import FlicProtocol

/// A configuration of a Flic Twist in a trace: the bytes of its states, as they go over the air.
package struct TraceTwist: Codable, Equatable, Sendable {
    var states: String

    init(_ configuration: Twist.Configuration) {
        var writer = FieldWriter(opcode: 0)
        var configuration = configuration
        configuration.code(&writer)
        states = Hexadecimal.text(writer.bytes.dropFirst())
    }

    /// What is missing or damaged is zero.
    package var configuration: Twist.Configuration {
        var reader = FieldReader(bytes: Hexadecimal.bytes(states) ?? [], from: 0)
        var configuration = Twist.Configuration()
        configuration.code(&reader)
        return configuration
    }
}
