import BlueZ
import FlicBridge
import FoundationEssentials

/// Judges the air and each button. Pure: facts in, findings out.
extension DoctorFacts {
    /// Weaker than this, links are lost now and then, in dBm.
    private static let weakSignal = -85
    /// Older news of a battery say little.
    private static let oldNews = 30

    /// - Parameter ground: The check whose failure keeps buttons from being heard; nil if nothing does.
    func buttonFindings(without ground: Finding.Check?) -> [Finding] {
        var findings: [Finding] = []
        let radio = hearing.map { self.radio($0) }
        if let radio { findings.append(radio) }
        let ground = ground ?? (radio?.code == nil ? nil : .radio)
        for button in buttons {
            findings.append(pairing(button).about(button))
            if button.isUnpaired {
                findings.append(Finding.skipped(.reach, without: .pairing).about(button))
            } else if let ground {
                findings.append(Finding.skipped(.reach, without: ground).about(button))
            } else {
                findings.append(reach(button).about(button))
            }
            findings.append(battery(button).about(button))
        }
        return findings
    }

    private func radio(_ hearing: Hearing) -> Finding {
        let name = bluetooth.usable.isEmpty ? "The adapter" : Self.list(bluetooth.usable)
        let time = Self.seconds(hearing.time)
        guard hearing.deviceCount == 0 else {
            let devices = hearing.deviceCount == 1 ? "1 device" : "\(hearing.deviceCount) devices"
            return .ok(.radio, "\(name) has heard \(devices).")
        }
        guard bluetooth.adapters.contains(where: { bluetooth.usable.contains($0.name) && $0.isDiscovering }) else {
            let cure = "'sudo systemctl restart bluetooth' may help; '-v' tells what bluetoothd said."
            return .problem(.radio, .bluetoothUnavailable, "deaf", "\(name) does not listen, though bluetoothd was asked to.", cure: cure)
        }
        let cure = "If a button was pressed beside it, try another adapter, or a cable that keeps it away from USB 3 and metal."
        return .note(.radio, "nothingHeard", "\(name) has heard nothing at all within \(time).", cure: cure)
    }

    private func pairing(_ button: ButtonInfo) -> Finding {
        guard button.isUnpaired else { return .ok(.pairing, "Paired.") }
        let cure = "Forget it ('flic forget \(button.serialNumber)'), hold it down for seven seconds, and pair it anew ('flic pair')."
        return .problem(.pairing, .notPaired, "unpaired", "The pairing is void: the button was reset, or gave this program's place away.", cure: cure)
    }

    private func reach(_ button: ButtonInfo) -> Finding {
        if let link = link(to: button) {
            guard bluetooth.usable.contains(link.adapter) else {
                let cure = "Use that adapter ('--adapter \(link.adapter)'), or disconnect it there ('bluetoothctl disconnect \(button.address)')."
                let sentence = "Connected by way of \(link.adapter), not \(Self.list(bluetooth.usable))."
                return .problem(.reach, .refused, "otherAdapter", sentence, cure: cure)
            }
            if case .success(let store) = store, let holder = store.holder, !holder.name.isEmpty {
                return .ok(.reach, "Connected, while \(holder.name.printable) has the paired buttons.")
            }
            let sentence = "Connected by another program on this machine, whose link can be shared."
            let cure = "If it does not work all the same, disconnect it: 'bluetoothctl disconnect \(button.address)'."
            return .note(.reach, "sharedLink", sentence, cure: cure)
        }
        guard let voice = hearing?.buttons[button.address] else {
            let time = hearing.map { " within \(Self.seconds($0.time))" } ?? ""
            let sentence = "Not heard\(time). That is as it should be for a button at rest: a press makes it heard."
            let cure = "Press it while doctor listens. If it is not heard then, it is too far away, its battery is empty, or another device holds it."
            return .note(.reach, "silent", sentence, cure: cure)
        }
        if voice.isConnectedElsewhere {
            let cure = "Disconnect it there, or switch Bluetooth off on that phone or hub."
            return .problem(.reach, .refused, "connectedElsewhere", "Connected to another device, as it says itself.", cure: cure)
        }
        guard let rssi = voice.rssi else { return .ok(.reach, "Heard.") }
        guard rssi < Self.weakSignal else { return .ok(.reach, "Heard at \(rssi) dBm.") }
        let cure = "Bring it closer, or the adapter; a cable between adapter and machine often helps."
        return .note(.reach, "weakSignal", "Heard at \(rssi) dBm only, which is weak.", cure: cure)
    }

    private func battery(_ button: ButtonInfo) -> Finding {
        guard let battery = button.battery else {
            return .note(.battery, "batteryUnknown", "Nothing is known of its battery: it tells when it is connected.")
        }
        let days = max(0, Int(date.timeIntervalSince(battery.date) / 86_400))
        let age = days == 0 ? "today" : days == 1 ? "yesterday" : "\(days) days ago"
        let volts = ButtonFacts.text(volts: battery.volts)
        if battery.isLow {
            return .note(.battery, "batteryLow", "Its battery is low: \(volts), \(age).", cure: "Change it (CR2032); the pairing stays.")
        }
        guard days <= Self.oldNews else {
            let sentence = "Its battery had \(volts), but that was \(age)."
            return .note(.battery, "batteryOldNews", sentence, cure: "Press it while 'flic listen' runs, which asks for news.")
        }
        return .ok(.battery, "Its battery had \(volts), \(age).")
    }

    private static func seconds(_ time: Duration) -> String { "\(Int((time / .seconds(1)).rounded(.up))) s" }
}
