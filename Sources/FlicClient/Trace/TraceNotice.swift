import GATT

/// What a program was told of a button.
package struct TraceNotice: Codable, Equatable, Sendable {
    package var notice: String
    package var kind: String?
    package var isQueued: Bool?
    /// Seconds.
    package var age: Int?
    package var clock: UInt64?
    package var count: UInt32?
    package var reason: String?
    package var message: String?
    package var volts: Double?
    /// Length of a name.
    package var bytes: Int?

    init(_ told: ButtonNotice) {
        switch told {
        case .connected: notice = "connected"
        case .ready: notice = "ready"
        case .notReady(let problem):
            notice = "notReady"
            reason = problem.rawValue
        case .press(let press):
            notice = "press"
            kind = press.kind.rawValue
            isQueued = press.isQueued
            age = press.age
            clock = press.timestamp
            count = press.eventCount
        case .queueFinished: notice = "queueFinished"
        case .disconnected(let error):
            notice = "disconnected"
            reason = error.map { "\($0.code)" }
            message = error?.detail
        case .failedToConnect(let error):
            notice = "failedToConnect"
            reason = error.code.rawValue
            message = error.detail
        case .unpaired: notice = "unpaired"
        case .battery(let battery):
            notice = "battery"
            volts = battery.volts
        case .renamed(let name):
            notice = "renamed"
            bytes = name.utf8.count
        }
    }
}
