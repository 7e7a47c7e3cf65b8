import FlicClient
import FoundationEssentials
import Logs

/// What is counted of a button.
struct ButtonMetrics {
    struct Press: Hashable {
        let kind: PressEvent.Kind
        let isQueued: Bool

        static let all = PressEvent.Kind.allCases.flatMap { kind in [false, true].map { Press(kind: kind, isQueued: $0) } }
    }

    var info: ButtonInfo
    private(set) var presses: [Press: UInt64] = [:]
    private(set) var delays = DelayHistogram()
    private(set) var reconnects: [String: UInt64] = [:]
    private(set) var lastSeen: Date?
    private var delay = PressDelay()
    /// Why the last link ended.
    private var lastEnd: String?

    init(_ info: ButtonInfo) { self.info = info }

    var labels: [MetricFamily.Label] { [.init("button", info.serialNumber), .init("name", (info.nickname ?? "").inOneLine)] }

    /// - Parameter moment: By a clock that does not go back.
    mutating func count(_ notice: ButtonNotice, at moment: Duration, date: Date) {
        switch notice {
        case .connected:
            lastSeen = date
            if let reason = lastEnd { reconnects[reason, default: 0] += 1 }
            lastEnd = nil
        case .ready:
            lastSeen = date
            delay.forget()
        case .disconnected(let error): lastEnd = error.map { "\($0.code)" } ?? "asked"
        case .press(let press):
            lastSeen = date
            presses[Press(kind: press.kind, isQueued: press.isQueued), default: 0] += 1
            // Clicks and holds may have to wait for what follows; downs and ups are told as they come.
            guard !press.isQueued, press.kind == .down || press.kind == .up else { return }
            if let delay = delay.arrived(ticks: press.timestamp, at: moment / .seconds(1)) { delays.add(delay) }
        case .battery, .renamed, .queueFinished, .pressInMode, .turned: lastSeen = date
        case .failedToConnect, .unpaired, .notReady: break
        }
    }
}
