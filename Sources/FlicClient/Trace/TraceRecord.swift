import FlicProtocol
import GATT

/// The first line of a trace.
struct TraceHeader: Codable {
    static let name = "flickit-trace"
    static let currentVersion = 1

    var format = Self.name
    var version = Self.currentVersion
    /// The program that recorded, and its version.
    var program: String
    /// What became of names.
    var names = "masked"
}

/// A further line of a trace. Which members there are depends on ``what``; ``TraceRecorder`` tells them.
package struct TraceRecord: Codable, Equatable, Sendable {
    package enum What: String, Codable, Sendable {
        case adapter, discovery, resumed, open, connected, ready, received, sent, close, closed, session, told, full
    }

    /// Milliseconds of the loop's clock.
    package var ms: Double
    package var what: What
    package var link: UInt64?
    package var address: String?
    /// Left out for a Flic 2 or Duo.
    package var dialect: Dialect?
    package var mtu: Int?
    /// Hexadecimal.
    package var frame: String?
    /// Bytes of the frame are not those of the link but hide a name, or firmware.
    package var masked: Bool?
    /// Of the adapter, or what is listened for.
    package var state: String?
    package var reason: String?
    package var message: String?
    package var session: Int?
    package var call: TraceCall?
    package var actions: [TraceAction]?
    package var button: String?
    package var notice: TraceNotice?

    init(_ ms: Double, _ what: What) {
        self.ms = ms
        self.what = what
    }

    /// The time of the record; nil if that is none of a loop.
    package var time: Duration? { Duration(traceMilliseconds: ms) }

    /// The bytes of the frame; nil if there are none or too many.
    package var frameBytes: [UInt8]? {
        guard let frame, frame.utf8.count <= 2 * Self.largestFrame else { return nil }
        return Hexadecimal.bytes(frame)
    }

    /// The longest value of GATT, in bytes.
    private static let largestFrame = 512
}

extension Duration {
    /// Exact to the nanosecond for the first hundred days.
    var traceMilliseconds: Double {
        let (seconds, attoseconds) = components
        return (Double(seconds) * 1e9 + Double(attoseconds / 1_000_000_000)) / 1e6
    }

    /// nil for anything but 0 to 10^11 ms, some three years.
    init?(traceMilliseconds ms: Double) {
        guard ms >= 0, ms <= 1e11 else { return nil }
        self = .nanoseconds(Int64((ms * 1e6).rounded()))
    }
}
