import ClickClassifier
import FlicProtocol
public import FoundationEssentials
import Synchronization

/// A paired button.
///
/// An object stands for one physical button as long as its ``Flic`` lives and the button is not forgotten. All members may be
/// used from any thread.
public final class FlicButton: Sendable, Identifiable {
    /// The same for this button and machine, also after forgetting and pairing anew.
    public let identifier: UUID

    /// For `Identifiable`.
    public var id: UUID { identifier }

    private let current: Mutex<ButtonInfo>
    private let notices = Feed<ButtonNotice>()
    private let presses = Feed<PressEvent>()
    private let turnFeed = Feed<ButtonTurn>()
    private let states = Feed<ButtonInfo.State>()
    weak let flic: Flic?

    init(info: ButtonInfo, flic: Flic) {
        identifier = info.identifier
        current = Mutex(info)
        self.flic = flic
    }

    deinit { finish() }

    // MARK: What is known

    /// All that is known of the button now.
    public var info: ButtonInfo { current.withLock { $0 } }

    /// What happens to the button from now on. See ``pressEvents()`` for what is done with it.
    ///
    /// A sequence ends when the button is forgotten. A reader that falls more than a thousand elements behind loses the oldest.
    public func events() -> AsyncStream<ButtonNotice> { notices.stream() }

    /// What is done with the button from now on: downs, ups, clicks and holds, queued ones included.
    public func pressEvents() -> AsyncStream<PressEvent> { presses.stream() }

    /// How a Flic Twist is turned from now on, or the buttons of a Flic Duo, as far as ``setPushTwist(_:)`` asks for it.
    public func turns() -> AsyncStream<ButtonTurn> { turnFeed.stream() }

    /// The state of the link, beginning with the present one.
    public func stateUpdates() -> AsyncStream<ButtonInfo.State> { states.stream(startingWith: info.state) }

    /// Waits until the button is ready.
    ///
    /// - Throws: ``FlicError`` if connecting failed for good, the pairing is void, the button was forgotten, or the task cancelled.
    public func ready() async throws(FlicError) {
        let notices = events()
        guard !info.isReady else { return }
        for await notice in notices {
            switch notice {
            case .ready: return
            case .failedToConnect(let error): throw error
            case .unpaired: throw FlicError(.unpaired)
            default: continue
            }
        }
        throw FlicError(Task.isCancelled ? .cancelled : .alreadyForgotten)
    }

    // MARK: Wishes

    /// Wishes for a connection. The wish never times out, is kept across restarts of the program, and ends with ``disconnect()``.
    ///
    /// An unpaired button answers with ``ButtonNotice/failedToConnect(_:)`` at once.
    public func connect() async { await flic?.connect(identifier) }

    /// Ends the wish for a connection, and the link if there is one.
    public func disconnect() async { await flic?.disconnect(identifier) }

    /// Renames the button for all apps: at most 23 bytes of UTF-8, longer names are cut between characters. Nil or "" clears the name.
    ///
    /// The name is sent as soon as the button can be reached; of several apps, the last one to rename wins.
    public func setNickname(_ nickname: String?) async { await flic?.setNickname(nickname, of: identifier) }

    /// How presses become clicks, from the next event on; nil for what ``FlicConfiguration`` says. Kept across restarts.
    public func setClickRules(_ rules: ClickRules?) async { await flic?.setClickRules(rules, of: identifier) }

    /// What becomes of presses that were made while the button was not connected; nil for what ``FlicConfiguration`` says. Kept across restarts.
    public func setQueuePolicy(_ policy: QueuePolicy?) async { await flic?.setQueuePolicy(policy, of: identifier) }

    /// How fast presses arrive. Kept across restarts.
    public func setLatency(_ mode: LatencyMode) async { await flic?.setLatency(mode, of: identifier) }

    /// After how long without activity the button closes its link, to spare its battery or to make room for others (protocol 9.6).
    ///
    /// It is then silent until pressed, and connects again with that press, which is told as a queued one. Takes effect at once if the
    /// button is ready, else with its next session. Kept across restarts; replaces ``FlicConfiguration/autoDisconnectTime``.
    ///
    /// - Parameter time: 40 to 510 s, in whole seconds; others are taken as the nearest possible. Nil: never.
    public func setAutoDisconnectTime(_ time: Duration?) async { await flic?.setAutoDisconnectTime(time, of: identifier) }

    /// How the button advertises after a lost link, to come back without being pressed (protocol 9.5).
    ///
    /// Takes effect at once if the button is ready, else with its next session; only with firmware 6 and later. Kept across restarts;
    /// replaces ``FlicConfiguration/readvertising``.
    public func setReadvertising(_ mode: ReadvertisingMode) async { await flic?.setReadvertising(mode, of: identifier) }

    /// Which buttons of a Flic Duo report how they are turned while they are held down, as ``ButtonNotice/turned(_:)`` and in ``turns()``
    /// (protocol 13.4): at once if the device is ready, else from its next session on. Not kept across restarts; without effect on others.
    ///
    /// - Parameter buttonNumbers: 0 for the big button, 1 for the small one; others mean nothing. Empty switches the reports off.
    public func setPushTwist(_ buttonNumbers: Set<Int>) async {
        var buttons: DuoButtons = []
        for button in DuoButton.allCases where buttonNumbers.contains(Int(button.rawValue)) { buttons.insert(DuoButtons(button)) }
        await flic?.setPushTwist(buttons, of: identifier)
    }

    /// How a Flic Twist behaves in its modes (protocol 14.2); nil for the usual behaviour. Takes effect at once if it is ready, else with its next
    /// session. Kept across restarts; without effect on others.
    public func setTwist(_ configuration: TwistConfiguration?) async { await flic?.setTwist(configuration, of: identifier) }

    /// Moves the window of a mode of a Flic Twist, so that it stands there without being turned (protocol 14.3): at once if it is ready, else
    /// with its next session. Kept across restarts, as places are; without effect on others. What was turned meanwhile counts from there.
    ///
    /// - Parameters:
    ///   - position: 0 to 1, a whole turn; others are taken as the nearest.
    ///   - mode: 0 to 12; others mean nothing.
    public func setTwistPosition(_ position: Double, mode: Int = 0) async {
        await flic?.setTwistPosition(position, mode: mode, of: identifier)
    }

    // MARK: For the hub

    func update(_ info: ButtonInfo) {
        let old = current.withLock { current in
            defer { current = info }
            return current
        }
        if old.state != info.state { states.send(info.state) }
    }

    func tell(_ notice: ButtonNotice) {
        if case .press(let event) = notice { presses.send(event) }
        if case .turned(let turn) = notice { turnFeed.send(turn) }
        notices.send(notice)
    }

    func finish() {
        notices.finish()
        presses.finish()
        turnFeed.finish()
        states.finish()
    }
}
