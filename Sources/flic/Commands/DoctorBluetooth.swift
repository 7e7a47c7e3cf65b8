import BlueZ

/// Judges the ground that buttons stand on, from the hardware to the links of the adapter. Pure: facts in, findings out.
extension DoctorFacts {
    /// Checks that stand on each other, in this order.
    static let bluetoothChecks: [Finding.Check] = [.bus, .service, .adapter, .version, .power, .links]

    var bluetoothFindings: [Finding] {
        var findings = [hardware, blocking]
        var ground: Finding.Check?
        for check in Self.bluetoothChecks {
            if check == .power, ground == nil, blocking.code != nil { ground = .blocking }
            if let ground {
                findings.append(.skipped(check, without: ground))
                continue
            }
            let finding =
                switch check {
                case .bus: bus
                case .service: service
                case .adapter: adapterFinding
                case .version: version
                case .power: power
                default: links
                }
            findings.append(finding)
            if finding.code != nil { ground = check }
            if check == .service, ground == nil, let confinement { findings.append(confinement) }
        }
        return findings
    }

    // MARK: Hardware

    private var hardware: Finding {
        let known = bluetooth.adapters.map(\.name)
        switch system.kernel {
        case .adapters(let names) where !names.isEmpty:
            return .ok(.hardware, "The kernel has \(Self.list(names)).")
        case _ where !known.isEmpty:
            return .ok(.hardware, "bluetoothd has \(Self.list(known)), though the kernel does not show it here.")
        case .hidden:
            return .note(.hardware, "unknown", "Whether the kernel has an adapter cannot be told: /sys shows no devices here.")
        case .adapters where !blockedSwitches.isEmpty, .missing where !blockedSwitches.isEmpty:
            return .note(.hardware, "noHardware", "The kernel has no Bluetooth adapter, perhaps because Bluetooth is blocked.")
        case .missing:
            let cure = "Plug an adapter in. If there is one, load its driver ('sudo modprobe btusb'), and see 'sudo dmesg | grep -i bluetooth'."
            return .problem(.hardware, .bluetoothUnavailable, "noDriver", "The kernel has no Bluetooth: no driver for it is loaded.", cure: cure)
        case .adapters:
            let cure = "Plug one in. If there is one, 'sudo dmesg | grep -i -e bluetooth -e firmware' says what it lacks."
            return .problem(.hardware, .bluetoothUnavailable, "noHardware", "The kernel has no Bluetooth adapter.", cure: cure)
        }
    }

    /// Switches that keep the adapter off which would be used.
    private var blockedSwitches: [SystemFacts.Switch] {
        guard bluetooth.adapter?.power != .on else { return [] }
        func isAdapter(_ name: String) -> Bool { name.hasPrefix("hci") }
        let isFree = system.switches.contains { isAdapter($0.name) && !$0.isSoftBlocked && !$0.isHardBlocked }
        let wanted = bluetooth.chosen ?? adapter.flatMap { isAdapter($0) ? $0 : nil }
        return system.switches.filter { known in
            guard known.isSoftBlocked || known.isHardBlocked else { return false }
            return !isAdapter(known.name) || wanted.map { $0 == known.name } ?? !isFree
        }
    }

    private var blocking: Finding {
        let blocked = blockedSwitches
        let names = Self.list(blocked.map(\.name))
        if blocked.contains(where: \.isHardBlocked) {
            let cure = "Look for a switch, or a key with an aeroplane or an antenna; else for a setting in the machine's firmware (BIOS)."
            return .problem(.blocking, .bluetoothUnavailable, "blockedByHand", "A switch or key of this machine keeps \(names) off.", cure: cure)
        }
        guard blocked.isEmpty else {
            let cure = "'rfkill unblock bluetooth' frees it, or the end of aeroplane mode."
            return .problem(.blocking, .bluetoothUnavailable, "blockedBySoftware", "Software keeps \(names) off (rfkill).", cure: cure)
        }
        return .ok(.blocking, "No switch keeps Bluetooth off.")
    }

    // MARK: Adapter

    private var adapterFinding: Finding {
        if let chosen = bluetooth.adapter {
            let address = chosen.address.isEmpty ? "" : " (\(chosen.address))"
            return .ok(.adapter, "\(chosen.name)\(address) can do Bluetooth Low Energy.")
        }
        let known = bluetooth.adapters
        let wanted = known.filter(\.isWanted)
        if !wanted.isEmpty {
            let cure = "Use an adapter of Bluetooth 4.0 or later; if it is one, 'ControllerMode' in /etc/bluetooth/main.conf must not be 'bredr'."
            let sentence = "\(Self.list(wanted.map(\.name))) cannot do Bluetooth Low Energy."
            return .problem(.adapter, .bluetoothUnavailable, "notLowEnergy", sentence, cure: cure)
        }
        if case .adapters(let names) = system.kernel, let ignored = adapter.map({ names.contains($0) ? [$0] : [] }) ?? names.nonEmpty,
            !ignored.isEmpty
        {
            let cure = "'sudo systemctl restart bluetooth' may help; else 'journalctl -u bluetooth' and 'sudo dmesg | grep -i bluetooth' say more."
            let sentence = "The kernel has \(Self.list(ignored)), but bluetoothd does not show it."
            return .problem(.adapter, .bluetoothUnavailable, "adapterIgnored", sentence, cure: cure)
        }
        if let adapter, !known.isEmpty {
            let cure = "Name another one with '--adapter', or none for the best."
            let sentence = "There is no adapter \(adapter), only \(Self.list(known.map(\.name)))."
            return .problem(.adapter, .bluetoothUnavailable, "adapterMissing", sentence, cure: cure)
        }
        return .problem(.adapter, .bluetoothUnavailable, "noAdapter", "bluetoothd has no adapter.", cure: "Plug an adapter in.")
    }

    private var version: Finding {
        guard let adapter = bluetooth.adapter, adapter.hasGATT else {
            let cure = "Install BlueZ 5.55 or later; 'bluetoothctl --version' shows what there is."
            let sentence = "bluetoothd does not let programs talk to devices, as it does from 5.42 on."
            return .problem(.version, .bluetoothUnavailable, "tooOld", sentence, cure: cure)
        }
        guard adapter.tellsRoles else {
            let cure = "If something does not work, compare with 'bluetoothctl --version': 5.55 or later is needed."
            return .note(.version, "perhapsTooOld", "bluetoothd does not say what the adapter can, and may be older than 5.55.", cure: cure)
        }
        return .ok(.version, "bluetoothd has what is needed. (It does not tell its version; 'bluetoothctl --version' does.)")
    }

    private var power: Finding {
        let name = bluetooth.chosen ?? "The adapter"
        switch bluetooth.adapter?.power {
        case .on: return .ok(.power, "\(name) is on.")
        case .blocked:
            let cure = "'rfkill unblock bluetooth' frees it, if no switch or key of the machine holds it."
            return .problem(.power, .bluetoothUnavailable, "blocked", "\(name) is blocked.", cure: cure)
        case .changing:
            let cure = "Look again in a few seconds; if it stays so, 'sudo systemctl restart bluetooth' may help."
            return .problem(.power, .bluetoothUnavailable, "changing", "\(name) is just being switched on or off.", cure: cure)
        case .off, nil:
            let cure = "'bluetoothctl power on' switches it on; 'AutoEnable=true' in /etc/bluetooth/main.conf keeps it so."
            return .problem(.power, .bluetoothUnavailable, "poweredOff", "\(name) is switched off.", cure: cure)
        }
    }

    /// From here on adapters are known to refuse; none of them tells how many links it can hold.
    private static let manyLinks = 7

    private var links: Finding {
        let counts = bluetooth.usable.map { name in (name, bluetooth.links.count { $0.adapter == name }) }
        if let (name, count) = counts.first(where: { $0.1 >= Self.manyLinks }) {
            let cure = "When a command says that no more connections are possible, disconnect some, or add an adapter."
            let sentence = "\(count) devices are connected to \(name). How many it can hold is not told; many hold no more than 7 to 10."
            return .note(.links, "manyLinks", sentence, cure: cure)
        }
        let count = counts.reduce(0) { $0 + $1.1 }
        let names = Self.list(bluetooth.usable)
        return .ok(.links, count == 0 ? "No device is connected to \(names)." : "\(Self.count(count, "device")) connected to \(names).")
    }

    // MARK: Words

    static func list(_ names: [String]) -> String { names.map(\.printable).joined(separator: ", ") }

    /// `1 device is`, `2 devices are`.
    static func count(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun) is" : "\(count) \(noun)s are" }
}

extension Collection {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
