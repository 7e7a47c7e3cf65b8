/// Says what was wrong with what an application told, by what was done.
struct Judge {
    let fault: Fault
    /// When the fault began.
    var struck = Duration.zero
    /// When everything was well again.
    var recovered = Duration.zero
    /// The button's count before; what is told of presses up to it belongs to an earlier round.
    var countBefore: UInt32 = 0
    /// What has to be told of presses, and how long they took in seconds.
    var strokes: [Hand.Stroke] = []
    var durations: [ClosedRange<Double>] = []
    /// How the application ended.
    var status: Int32?
    /// What was stored before and after.
    var pairings: (World.Pairing?, World.Pairing?)
    /// How many pairings the button has.
    var pairingCount = 0
    /// bluetoothd has crashed by itself, which has to be told as well, and may have come before the fault.
    var hasCrashed = false
    var problems: [String] = []

    /// How long a state may take to be told, on a machine that has much to do.
    private static let stateTime = Duration.seconds(5)

    func verdict(_ chronicle: Chronicle) -> [String] {
        let items = chronicle.items.filter { $0.told.count ?? .max > countBefore }
        return problems + chronicle.oddities + presses(items) + clicks(items) + links(items) + states(items) + ends()
    }

    /// Each press once, in order.
    private func presses(_ items: [Chronicle.Item]) -> [String] {
        let told = items.compactMap { item in
            ["down", "up"].contains(item.told.event) ? item.told.count.map { Hand.Stroke(kind: item.told.event, count: $0) } : nil
        }
        guard told != strokes else { return [] }
        let lost = strokes.filter { !told.contains($0) }
        let doubled = told.filter { stroke in told.count { $0 == stroke } > 1 }
        let foreign = told.filter { !strokes.contains($0) }
        let text = { (strokes: [Hand.Stroke]) in strokes.map { "\($0.kind) \($0.count)" }.joined(separator: ", ") }
        var result: [String] = []
        if !lost.isEmpty { result.append("not told: \(text(lost))") }
        if !doubled.isEmpty { result.append("told more than once: \(text(doubled))") }
        if !foreign.isEmpty { result.append("never happened: \(text(foreign))") }
        return result.isEmpty ? ["not in order: \(text(told))"] : result
    }

    /// A click for each short press, a hold for each long one. Where it was close the button itself decides.
    private func clicks(_ items: [Chronicle.Item]) -> [String] {
        guard durations.allSatisfy({ $0.upperBound < 0.95 || $0.lowerBound > 1.05 }) else { return [] }
        let expected = (click: durations.count { $0.upperBound < 1 }, hold: durations.count { $0.lowerBound > 1 })
        let told = (click: items.count { $0.told.event == "click" }, hold: items.count { $0.told.event == "hold" })
        var result: [String] = []
        if told != expected { result.append("\(told.click) clicks and \(told.hold) holds, not \(expected.click) and \(expected.hold)") }
        if items.contains(where: { $0.told.event == "doubleClick" }) { result.append("a double click that was none") }
        return result
    }

    /// What is told of the link fits together, and nothing is given up.
    private func links(_ items: [Chronicle.Item]) -> [String] {
        var isConnected = false
        var isReady = false
        var result: [String] = []
        for item in items {
            let event = item.told.event
            var isRight = true
            switch event {
            case "connected":
                isRight = !isConnected
                isConnected = true
            case "ready":
                isRight = isConnected && !isReady
                isReady = true
            case "notReady":
                isRight = isReady
                isReady = false
            case "disconnected":
                isRight = isConnected
                isConnected = false
                isReady = false
            case "down", "up", "click", "hold": isRight = isReady || item.told.queued == true
            case "failedToConnect", "unpaired": isRight = false
            case "bluetooth":
                guard isConnected, item.told.state != "poweredOn" else { break }
                let after = items.drop { $0.at < item.at }.first { $0.told.event == "disconnected" }
                isRight = after.map { $0.at - item.at < .seconds(1) } ?? false
            default: break
            }
            if !isRight { result.append("'\(event)\(item.told.reason.map { " " + $0 } ?? "")' does not fit what was told before") }
        }
        return result
    }

    /// The truth about Bluetooth (contract B.7).
    private func states(_ items: [Chronicle.Item]) -> [String] {
        let all = items.filter { $0.told.event == "bluetooth" && $0.at < recovered }
        let since = all.filter { $0.at >= struck }
        let names = since.compactMap(\.told.state)
        var result: [String] = []
        if let last = all.last?.told.state, last != "poweredOn" { result.append("the last state is \(last)") }
        if zip(all, all.dropFirst()).contains(where: { $0.told.state == $1.told.state }) { result.append("a state is told twice in a row") }
        guard !hasCrashed, let expected = fault.states else { return result }
        if expected.isEmpty {
            if !names.isEmpty { result.append("told of Bluetooth: \(names.joined(separator: ", "))") }
        } else if let first = since.first(where: { expected.contains($0.told.state ?? "") }) {
            // A bluetoothd that hangs may be noticed as soon as it does, or when it dies.
            if fault != .hangKill, first.at - struck > Self.stateTime { result.append("\(first.told.state ?? "") was told late") }
        } else {
            result.append("none of \(expected.sorted().joined(separator: ", ")) was told, but \(names.joined(separator: ", "))")
        }
        return result
    }

    private func ends() -> [String] {
        var result: [String] = []
        if status != 130 { result.append(status.map { "the application ended with \($0)" } ?? "the application did not end") }
        if pairings.0 == nil || pairings.0 != pairings.1 || pairings.1?.isUnpaired == true { result.append("the stored pairing is another one") }
        if pairingCount != 1 { result.append("the button has \(pairingCount) pairings") }
        return result
    }
}
