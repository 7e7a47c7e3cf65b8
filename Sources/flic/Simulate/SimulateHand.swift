import FlicBridge
import FlicSimulator

/// Does to a simulated button what is typed.
struct SimulateHand: Sendable {
    let button: SimulatedButton
    let invocation: Invocation
    let printer: EventPrinter

    /// Returns when that is asked for; waits for an interrupt once the input has ended.
    func followInput() async throws {
        var isDown = false
        for await element in invocation.context.input.elements() {
            do throws(SimulateInput.Mistake) {
                guard let input = try SimulateInput(element) else { continue }
                if input == .quit { return }
                await follow(input, &isDown)
            } catch {
                invocation.context.output.printError("flic: \(error.text)")
            }
        }
        try await untilCancelled()
    }

    private func follow(_ input: SimulateInput, _ isDown: inout Bool) async {
        switch input {
        case .press:
            isDown = true
            await button.press()
            await pressed("press")
        case .release:
            isDown = false
            await button.release()
            await pressed("release")
        case .toggle: await follow(isDown ? .release : .press, &isDown)
        case .click:
            await button.click()
            await pressed("click")
        case .double:
            await button.doubleClick()
            await pressed("double")
        case .hold:
            await button.hold()
            await pressed("hold")
        case .public:
            await button.enterPublicMode()
            printer.show(EventLine("public", text: "pairing mode"))
        case .reboot:
            isDown = false
            await button.reboot()
            printer.show(EventLine("reboot", text: "reboot"))
        case .battery(let volts):
            await button.setBattery(volts: volts)
            var line = EventLine("battery", text: "battery \(ButtonFacts.text(volts: volts))")
            line.volts = volts
            printer.show(line)
        case .name(let name):
            await button.setName(name)
            let name = await button.name
            var line = EventLine("name", text: "name \"\(name)\"")
            line.name = name
            printer.show(line)
        case .wait(let seconds): await invocation.loop.pause(for: .seconds(seconds))
        case .help: invocation.remark(invocation.context.input.isTerminal ? SimulateInput.keyHelp : SimulateInput.lineHelp)
        case .quit: break
        }
    }

    private func pressed(_ event: String) async {
        let count = await button.eventCount
        var line = EventLine(event, text: "\(event), event \(count)", style: .bold)
        line.count = count
        printer.show(line)
    }
}

extension SimulateInput {
    /// nil for an empty line.
    fileprivate init?(_ element: Input.Element) throws(Mistake) {
        switch element {
        case .line(let line): try self.init(line: line)
        case .key(let key): try self.init(key: key)
        }
    }
}
