/// What can happen to whatever is under an application.
enum Fault: String, CaseIterable {
    /// bluetoothd dies and is started again.
    case kill
    /// bluetoothd stands still for a time.
    case hang
    /// bluetoothd stands still, and is killed and started again because of it.
    case hangKill = "hang-kill"
    /// The system bus dies, and bluetoothd with it; both are started again.
    case bus
    /// The adapter is switched off and on.
    case power
    /// The adapter is blocked and unblocked.
    case rfkill
    /// The adapter is unplugged and plugged in again.
    case replug
    /// The same, and another adapter has its number meanwhile.
    case renumber
    /// The same, and there is another adapter under its number, with another address.
    case readdress
    /// The kernel is told that the machine sleeps, which ends links, and the application stands still.
    case suspend
    /// Another program has bluetoothd remove the device.
    case remove
    /// The link is lost at once.
    case drop
    /// The button is out of range for a time.
    case range
    /// The button's handles are others after the link was away.
    case staleAway = "stale-away"
    /// The button's handles change while the link is up, and it tells so.
    case staleLinked = "stale-linked"
    /// The button ends the link.
    case abort

    /// Whether it hits all that stand on one bluetoothd.
    var isShared: Bool {
        switch self {
        case .kill, .hang, .hangKill, .bus, .replug, .renumber, .readdress: true
        case .power, .rfkill, .suspend, .remove, .drop, .range, .staleAway, .staleLinked, .abort: false
        }
    }

    /// Whether there is anything for it to happen to.
    func canHappen(_ moment: Moment) -> Bool {
        switch self {
        case .drop, .abort: moment.hasLink
        case .staleLinked: moment == .ready || moment == .press
        default: true
        }
    }

    /// How long it lasts, in seconds.
    ///
    /// - Parameter isLong: As it may happen, rather than as briefly as it can be seen.
    func duration(isLong: Bool) -> ClosedRange<Double> {
        switch self {
        case .kill, .bus, .power, .rfkill, .replug, .renumber, .readdress: 0.5...(isLong ? 20 : 4)
        case .hang, .hangKill: 2...(isLong ? 40 : 6)
        case .suspend: isLong ? 55...65 : 5...8
        case .range: 1...(isLong ? 90 : 5)
        case .remove, .drop, .staleAway, .staleLinked, .abort: 0...0
        }
    }

    /// What an application has to be told of Bluetooth (contract B.7): one of these states, and after it `poweredOn`; nil where nothing need be
    /// told, empty where nothing may be.
    var states: Set<String>? {
        switch self {
        case .kill, .hangKill, .bus: ["resetting"]
        case .power, .rfkill: ["poweredOff"]
        case .replug, .renumber, .readdress: ["unsupported"]
        case .hang, .suspend: nil
        case .remove, .drop, .range, .staleAway, .staleLinked, .abort: []
        }
    }

    /// From the end of the fault to the first press after it being told: at most this.
    static let bound = Duration.seconds(45)
}
