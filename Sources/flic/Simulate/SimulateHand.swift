import FlicBridge
import FlicClient
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
        case .press(let number):
            isDown = true
            await button.press(button: number)
            await pressed("press", number)
        case .release(let number):
            isDown = false
            await button.release(button: number)
            await pressed("release", number)
        case .toggle: await follow(isDown ? .release(0) : .press(0), &isDown)
        case .click(let number):
            await button.click(button: number)
            await pressed("click", number)
        case .double(let number):
            await button.doubleClick(button: number)
            await pressed("double", number)
        case .hold(let number):
            await button.hold(button: number)
            await pressed("hold", number)
        case .swipe(let gesture, let number):
            await button.swipe(gesture, button: number)
            await pressed("swipe", number, gesture)
        case .turn(let turns):
            await button.turn(by: turns)
            var line = EventLine("turn", text: "turn by \(turns)", style: .bold)
            line.turns = turns
            printer.show(line)
        case .mode(let mode):
            await button.selectMode(mode)
            var line = EventLine("mode", text: "mode \(mode)")
            line.twistMode = mode
            printer.show(line)
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

    private func pressed(_ event: String, _ number: Int, _ gesture: PressEvent.Gesture? = nil) async {
        let count = await button.eventCount(of: number)
        let which = number == 0 ? "" : " of the small button"
        var line = EventLine(event, text: "\(event)\(gesture.map { " \($0)" } ?? "")\(which), event \(count)", style: .bold)
        line.count = count
        line.buttonNumber = button.identity.product == .duo ? number : nil
        line.gesture = gesture?.rawValue
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
