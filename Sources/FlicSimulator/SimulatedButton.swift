public import EventLoops
import FlicClient
import FlicProtocol
import GATT

/// A Flic 2, Duo or Twist that does not exist: firmware, clock, finger and battery, to be put into a ``SimulatedAir``,
/// or on a real radio with ``ButtonOnAir``.
///
/// It behaves as protocol 10 says; a client cannot tell it from a real one, except by the certificate, which leads to ``TestRoot``. It is an actor on
/// an event loop: on a ``VirtualLoop`` its days pass in no time, on a `DispatchLoop` in real time.
///
/// ```swift
/// let air = SimulatedAir(loop: loop)
/// let button = SimulatedButton(seed: 1, loop: loop)
/// await air.place(button)
/// await button.holdToPair()
/// ```
public actor SimulatedButton {
    /// What the factory burnt in.
    public nonisolated let identity: ButtonIdentity
    /// Where the button's time comes from.
    public nonisolated let loop: any EventLoop
    /// The same.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    var firmware: ButtonFirmware
    weak var radio: (any Radio)?
    /// When the button's clock was zero.
    private var started: Duration
    private var alarm: ScheduledWork?

    /// A button with a fresh battery and without pairings, lying still.
    ///
    /// - Parameters:
    ///   - identity: See ``ButtonIdentity/make(seed:address:product:)``.
    ///   - seed: For the button's random numbers: boot ids and what goes into the cryptography. Equal seeds make equal buttons.
    ///   - settings: How it was made and used so far.
    ///   - faults: What goes wrong with it.
    ///   - loop: Where the button's time comes from.
    public init(
        identity: ButtonIdentity,
        seed: UInt64,
        settings: ButtonSettings = ButtonSettings(),
        faults: Faults = Faults(),
        loop: any EventLoop
    ) {
        self.identity = identity
        self.loop = loop
        started = loop.now
        firmware = ButtonFirmware(identity: identity, settings: settings, faults: faults, generator: SeededGenerator(seed: seed))
    }

    /// The same with an identity that follows from the seed.
    public init(seed: UInt64, settings: ButtonSettings = ButtonSettings(), faults: Faults = Faults(), loop: any EventLoop) {
        self.init(identity: .make(seed: seed), seed: seed, settings: settings, faults: faults, loop: loop)
    }

    // MARK: Inputs

    /// The button's clock now, in ticks.
    private var time: UInt64 { (loop.now - started).ticks }

    /// Gives the firmware an input at the present time and does what follows.
    func input(_ input: (inout ButtonFirmware, UInt64) -> [ButtonFirmware.Action]) {
        for action in input(&firmware, time) {
            switch action {
            case .send(let frame): radio?.assumeIsolated { [identity] in $0.send(frame, from: identity.address) }
            case .closeLink: radio?.assumeIsolated { [identity] in $0.buttonClosedLink(identity.address) }
            case .advertise: radio?.assumeIsolated { [identity] in $0.advertisingChanged(of: identity.address) }
            case .restarted: started = loop.now
            }
        }
        setAlarm()
    }

    private func setAlarm() {
        alarm?.cancel()
        alarm = firmware.deadline.map { deadline in
            loop.schedule(after: started + Duration(ticks: deadline) - loop.now) { [weak self] in
                self?.assumeIsolated { button in button.input { $0.advance(to: $1) } }
            }
        }
    }

    // MARK: Settings

    /// What is wrong with the button, and with the air around it.
    public var faults: Faults { firmware.faults }

    /// Changes what is wrong from now on.
    public func setFaults(_ change: @Sendable (inout Faults) -> Void) {
        change(&firmware.faults)
        radio?.assumeIsolated { [identity] in $0.faultsChanged(of: identity.address) }
    }

    /// How the button behaves where real ones may differ.
    public var settings: ButtonSettings { firmware.settings }

    /// Changes how the button behaves; what has begun goes on as it was.
    public func setSettings(_ change: @Sendable (inout ButtonSettings) -> Void) {
        change(&firmware.settings)
        setAlarm()
    }

    /// Sets the battery voltage that the button measures.
    ///
    /// - Parameter volts: 0 to 3.6, the range of the button's converter; other values are cut to that.
    public func setBattery(volts: Double) {
        let raw = volts.isNaN ? 0 : min(max(volts, 0), 3.6) * (identity.product == .twist ? 1000 : 1024 / 3.6)
        firmware.batteryLevel = UInt16(raw.rounded())
    }

    /// Gives the button a name, as another app would do; clients that are connected hear of it.
    ///
    /// - Parameters:
    ///   - name: At most 23 bytes of UTF-8; a longer one is cut between characters.
    ///   - unixTime: Milliseconds since 1970; nil for one millisecond after the last rename.
    public func setName(_ name: String, unixTime: UInt64? = nil) {
        let name = StoredName(Array(name.utf8), timestamp: unixTime ?? firmware.name.timestamp &+ 1)
        input { $0.setName(name, at: $1) }
    }

    /// Sets the number of the installed firmware.
    public func setFirmwareVersion(_ version: UInt32) { firmware.firmwareVersion = version }

    /// Forgets all pairings, as if others had displaced them. Sessions go on.
    public func removePairings() { firmware.pairings.removeAll() }

    // MARK: Trouble

    /// Takes the battery out and puts it back: links are lost; clock and counters start over with a new boot id.
    public func reboot() {
        goDead()
        input { firmware, _ in firmware.reboot() }
    }

    /// Erases pairings and name, and starts over.
    public func factoryReset() {
        goDead()
        input { firmware, _ in firmware.factoryReset() }
    }

    /// The other end of the link hears nothing any more.
    private func goDead() {
        radio?.assumeIsolated { [identity] in $0.buttonDied(identity.address) }
    }

    /// Asks all clients at once whether they are there.
    public func ping() {
        input { $0.ping(at: $1) }
    }

    /// Ends all sessions and keeps the link.
    ///
    /// - Parameter reason: 0 ping not answered, 1 wrong signature, 2 the same pairing is used elsewhere, others as asked (protocol 6.6).
    public func endSessions(reason: UInt8) {
        let reason = SessionEnd(rawValue: reason) ?? .asAsked
        input { $0.endSessions(reason, at: $1) }
    }

    /// Sends a packet of the caller's making to all sessions, rightly signed.
    ///
    /// - Parameter body: Opcode and payload.
    public func inject(_ body: [UInt8]) {
        input { $0.inject(body, at: $1) }
    }
}
