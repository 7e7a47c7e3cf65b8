import FlicClient

/// A paired Flic.
///
/// Buttons are made by the ``FLICManager``. One object stands for one physical button as long as the process lives and the button is not
/// forgotten; after that its values can still be read, but nothing can be done with it. All members may be used from any thread. What is
/// set is readable at once; everything else changes on the main queue, right before the call of the delegate that tells of it.
open class FLICButton: NSObject, @unchecked Sendable {
    /// What makes it a button of a manager.
    private struct Life: Sendable {
        let button: FlicButton
        let wire: Wire
        let shown: Locked<ShownButton>
    }

    private struct Reference {
        weak var delegate: (any FLICButtonDelegate)?
    }

    private let life: Life?
    private let reference = Locked(Reference())

    /// Makes an object that stands for no button: its values are empty, and its methods do nothing.
    public override init() {
        life = nil
    }

    /// - Parameter isPairing: It has just been paired, and its link is there.
    init(_ snapshot: ButtonSnapshot, isPairing: Bool, delegate: (any FLICButtonDelegate)?, wire: Wire) {
        life = Life(button: snapshot.button, wire: wire, shown: Locked(ShownButton(snapshot, isPairing: isPairing)))
        super.init()
        self.delegate = delegate
    }

    /// Hears of this button. The object that is the delegate at the time of an event gets it; without a delegate, events are dropped.
    ///
    /// Held weakly. The manager sets it to its own ``FLICManager/buttonDelegate``.
    open var delegate: (any FLICButtonDelegate)? {
        get { reference.withLock { $0.delegate } }
        set { reference.withLock { $0.delegate = newValue } }
    }

    // MARK: What is known

    /// The same for this Flic on this machine, in every program; also after forgetting and pairing anew.
    open var identifier: UUID { info?.identifier ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

    /// The advertised name, for example "Flic BC12-A34567".
    open var name: String? { info?.name }

    /// Seven groups of two upper-case hexadecimal digits: the type of the address, 00 for public and 01 for random, then the address.
    /// Example: "00:80:E4:DA:12:34:56".
    open var bluetoothAddress: String { info.map { "0\($0.address.kind.rawValue):\($0.address)" } ?? "" }

    /// The identity of the button everywhere: 32 lower-case hexadecimal digits.
    open var uuid: String { info?.uuid ?? "" }

    /// As printed inside the battery hatch, for example "BC12-A34567".
    open var serialNumber: String { info?.serialNumber ?? "" }

    /// Number of presses since the button started.
    open var pressCount: UInt32 { info?.pressCount ?? 0 }

    /// The revision of the button's firmware; 0 before it is known.
    open var firmwareRevision: UInt32 { info?.firmwareVersion ?? 0 }

    /// The last battery sample in volts; 0 before there is one. It fluctuates: tell people to change the battery below 2.65 V.
    open var batteryVoltage: Float { info?.batteryVoltage ?? 0 }

    /// The pairing is void, because the button was reset or has given this program's place away. Forget the button and scan again.
    open var isUnpaired: Bool { info?.isUnpaired ?? false }

    /// Whether there is a connection, or one is pending.
    open var state: FLICButtonState { life?.shown.withLock { $0.state } ?? .disconnected }

    /// Whether the button has been verified in this connection. Presses come only then.
    open var isReady: Bool { life?.shown.withLock { $0.isReady } ?? false }

    private var info: ButtonInfo? { life?.shown.withLock { $0.info } }

    // MARK: Settings

    /// The name that people gave the button, which it shares with all apps; nil if none was ever set.
    ///
    /// At most 23 bytes of UTF-8; longer names are cut between characters. Nil and "" clear it. It reads back at once, is sent as soon
    /// as the button can be reached, and the last of several apps to rename the button wins.
    open var nickname: String? {
        get { life?.shown.withLock { $0.nickname.value } }
        set {
            change({ $0.setNickname(newValue) }, echo: { $0.nicknameEchoed() }) { $0.setNickname(newValue, of: $1) }
        }
    }

    /// Which events presses become, from the next one on; kept for the next run. `clickAndHold` unless set.
    open var triggerMode: FLICButtonTriggerMode {
        get { life?.shown.withLock { $0.triggerMode.value } ?? .clickAndHold }
        set {
            change({ $0.setTriggerMode(newValue) }, echo: { $0.triggerModeEchoed() }) { $0.setClickRules(newValue.rules, of: $1) }
        }
    }

    /// How fast presses arrive; not kept for the next run. `normal` unless set.
    open var latencyMode: FLICLatencyMode {
        get { life?.shown.withLock { $0.latencyMode } ?? .normal }
        set {
            change({ $0.setLatencyMode(newValue) }, echo: { _ in }) {
                $0.setLatency(newValue == .low ? .low : .normal, of: $1, isKept: false)
            }
        }
    }

    // MARK: Connection

    /// Wishes for a connection, which is made as soon as the button can be reached. The wish never times out, and is kept for the next
    /// run of the program. Without effect if a connection is there or pending.
    ///
    /// For an unpaired button, ``FLICButtonDelegate/button(_:didFailToConnectWithError:)`` follows at once.
    open func connect() {
        change({ $0.connect() }, echo: { $0.wishEchoed() }) { $0.connect($1) }
    }

    /// Ends the connection or calls off the pending one.
    open func disconnect() {
        change({ $0.disconnect() }, echo: { $0.wishEchoed() }) { $0.disconnect($1) }
    }

    /// Changes what is shown, and lets the loop hear of it if it has to.
    private func change(
        _ change: (inout ShownButton) -> Bool,
        echo: @escaping @Sendable (inout ShownButton) -> Void,
        onLoop act: @escaping @Sendable (isolated Flic, UUID) -> Void
    ) {
        guard let life else { return }
        life.shown.withLock { shown in
            guard change(&shown) else { return }
            // Under the lock, so that the loop hears of changes in the order in which they were made.
            life.wire.call(echo: { life.shown.withLock { echo(&$0) } }, { [id = life.button.identifier] in act($0, id) })
        }
    }

    // MARK: For the manager

    /// The button on the loop; nil for an object that stands for none.
    var button: FlicButton? { life?.button }

    /// The button is no longer the manager's.
    func forget() { life?.shown.withLock { $0.forget() } }

    /// Everything was read anew.
    func learn(_ snapshot: ButtonSnapshot) { life?.shown.withLock { $0.learn(snapshot) } }

    /// Applies what happened and tells the delegate, on the delivery queue.
    func deliver(_ notice: ButtonNotice, _ info: ButtonInfo) {
        guard let call = life?.shown.withLock({ $0.apply(notice, info) }), let delegate else { return }
        switch call {
        case .didConnect: delegate.buttonDidConnect(self)
        case .isReady: delegate.buttonIsReady(self)
        case .press(let event): deliver(event, to: delegate)
        case .pressInMode(let told): if let event = FLICButtonEvent(told) { delegate.button(self, didReceive: event) }
        case .didDisconnect(let error): delegate.button(self, didDisconnectWithError: error.map(NSError.linkLoss))
        case .didFailToConnect(let error): delegate.button(self, didFailToConnectWithError: NSError.failure(error))
        case .didUnpair: delegate.button(self, didUnpairWithError: nil)
        case .battery(let volts): delegate.button(self, didUpdateBatteryVoltage: volts)
        case .renamed(let name): delegate.button(self, didUpdateNickname: name)
        }
    }

    private func deliver(_ event: PressEvent, to delegate: any FLICButtonDelegate) {
        switch event.kind {
        case .down: delegate.button(self, didReceiveButtonDown: event.isQueued, age: event.age)
        case .up: delegate.button(self, didReceiveButtonUp: event.isQueued, age: event.age)
        case .click: delegate.button(self, didReceiveButtonClick: event.isQueued, age: event.age)
        case .doubleClick: delegate.button(self, didReceiveButtonDoubleClick: event.isQueued, age: event.age)
        case .hold: delegate.button(self, didReceiveButtonHold: event.isQueued, age: event.age)
        case .tripleClick: break  // only with rules that no trigger mode has
        case .swipeLeft, .swipeRight, .swipeUp, .swipeDown: break  // in the events of flic2lib 1.5
        }
    }
}
