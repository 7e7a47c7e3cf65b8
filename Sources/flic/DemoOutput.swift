import FlicClient
import FoundationEssentials

/// What the demo shows: lines for people, or JSON objects with the time in seconds since the start.
struct DemoOutput: Sendable {
    private let isJSON: Bool
    private let start = ContinuousClock.now

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// One line of JSON. Members that do not apply are left out.
    private struct Line: Encodable {
        var time: Double
        var event: String
        var button: String?
        var name: String?
        var address: String?
        var volts: Double?
        var queued: Bool?
        var age: Int?
        var count: UInt32?
        var buttons: Int?
        var message: String?
    }

    private var milliseconds: Int { Int(start.duration(to: .now) / .milliseconds(1)) }

    private func show(_ text: String, _ style: Terminal.Style = .plain, _ event: String, _ fill: (inout Line) -> Void = { _ in }) {
        let milliseconds = milliseconds
        if isJSON {
            var line = Line(time: Double(milliseconds) / 1000, event: event)
            fill(&line)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            if let data = try? encoder.encode(line) { Terminal.print(String(decoding: data, as: UTF8.self)) }
        } else {
            let fraction = String(milliseconds % 1000 + 1000).dropFirst()
            let time = "\(milliseconds / 1000).\(fraction)"
            Terminal.print(Terminal.styled("\(String(repeating: " ", count: max(0, 7 - time.count)))\(time)  ", .dim) + Terminal.styled(text, style))
        }
    }

    // MARK: The story

    /// What is done with the button; a comment for people only.
    func remark(_ text: String) {
        if !isJSON { show(text, .dim, "remark") }
    }

    func scan(_ step: PairingStep) {
        show("scan: \(step.rawValue)", .plain, step.rawValue)
    }

    func paired(_ info: ButtonInfo) {
        let volts = Self.rounded(info.batteryVoltage)
        let battery = volts.map { ", battery \($0) V" } ?? ""
        show("paired with \(info.serialNumber), address \(info.address), firmware \(info.firmwareVersion)\(battery)", .good, "paired") {
            $0.button = info.serialNumber
            $0.address = info.address.description
            $0.volts = volts
        }
    }

    /// To millivolts.
    private static func rounded(_ volts: Float?) -> Double? {
        volts.map { (Double($0) * 1000).rounded() / 1000 }
    }

    func named(_ info: ButtonInfo) {
        show("named \"\(info.nickname ?? "")\"", .plain, "named") { $0.name = info.nickname }
    }

    func heard(_ notice: ButtonNotice) {
        switch notice {
        case .press(let press):
            let isClick = press.kind != .down && press.kind != .up
            let age = press.isQueued ? ", queued, \(press.age) s before the button was ready" : ""
            show("\(press.kind.rawValue)\(age)", isClick ? .bold : .plain, press.kind.rawValue) {
                $0.queued = press.isQueued
                $0.age = press.age
                $0.count = press.eventCount
            }
        case .connected: show("connected", .plain, "connected")
        case .ready: show("ready", .good, "ready")
        case .disconnected(nil): show("disconnected", .plain, "disconnected")
        case .disconnected: show("link lost", .bad, "disconnected") { $0.message = "link lost" }
        case .battery(let volts):
            let volts = Self.rounded(volts)
            show("battery \(volts ?? 0) V", .plain, "battery") { $0.volts = volts }
        case .renamed(let name): show("renamed \"\(name)\" by another app", .plain, "renamed") { $0.name = name }
        case .failedToConnect(let error): failed(error)
        case .unpaired: show("unpaired", .bad, "unpaired")
        case .queueFinished, .notReady: break
        }
    }

    func forgotten(_ info: ButtonInfo, count: Int) {
        show("forgotten; \(count) buttons are left", .good, "forgotten") {
            $0.button = info.serialNumber
            $0.buttons = count
        }
    }

    func failed(_ error: any Error) {
        if isJSON { show("", .bad, "failed") { $0.message = "\(error)" } }
        Terminal.printError("\(error)")
    }
}
