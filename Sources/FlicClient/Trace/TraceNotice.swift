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
    /// Of a Flic Duo, 1 for the small button.
    package var button: Int?
    package var turns: Double?
    /// Of a Flic Twist.
    package var mode: Int?
    package var position: Double?
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
            button = press.buttonNumber == 0 ? nil : press.buttonNumber
        case .pressInMode(let told):
            notice = "pressInMode"
            kind = told.press.kind.rawValue
            count = told.press.eventCount
            reason = told.mode.map { "\($0)" }
            button = told.press.buttonNumber == 0 ? nil : told.press.buttonNumber
        case .turned(let turn):
            notice = "turned"
            button = turn.buttonNumber
            turns = turn.turns
            mode = turn.twistMode
            position = turn.position
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
