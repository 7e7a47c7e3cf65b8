import FlicBridge

/// What the demo shows: the events of a button, and for people what is being done with it.
struct DemoOutput: Sendable {
    private let invocation: Invocation
    private let printer: EventPrinter

    init(_ invocation: Invocation) {
        self.invocation = invocation
        printer = EventPrinter(invocation)
    }

    /// What is done with the button; a comment for people only.
    func remark(_ text: String) {
        if !invocation.isJSON { printer.show(EventLine("remark", text: text, style: .dim)) }
    }

    func scan(_ step: PairingStep) {
        printer.show(EventLine(step.rawValue, text: "scan: \(step.rawValue)"))
    }

    func paired(_ info: ButtonInfo) {
        let battery = info.battery.map { ", battery \(ButtonFacts.text(volts: $0.volts))" } ?? ""
        let text = "paired with \(info.serialNumber), address \(info.address), firmware \(info.firmwareVersion)\(battery)"
        var line = EventLine("paired", text: text, style: .good)
        line.button = info.serialNumber
        line.address = info.address.description
        if let battery = info.battery { line.record.tell(battery) }
        printer.show(line)
    }

    func named(_ info: ButtonInfo) {
        var line = EventLine("named", text: "named \"\(info.nickname ?? "")\"")
        line.name = info.nickname
        printer.show(line)
    }

    func heard(_ notice: ButtonNotice) {
        if let line = EventLine(notice) { printer.show(line) }
    }

    func forgotten(_ info: ButtonInfo, count: Int) {
        var line = EventLine("forgotten", text: "forgotten; \(count) buttons are left", style: .good)
        line.button = info.serialNumber
        line.buttons = count
        printer.show(line)
    }
}
