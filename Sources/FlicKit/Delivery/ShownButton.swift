import ClickClassifier
import FlicClient
import GATT

/// What a program is shown of a button, and which calls its delegate gets.
///
/// Two stories meet here. The loop tells what happened, each notice with the values of its moment; they are applied one by one, right
/// before the call they go with (contract A26). The program's own calls count at once, but the loop hears of them later. Until the
/// echo of such a call has come back, notices are older than the call, and then
///
/// - a name that the program set is not overwritten, nor is an older rename told;
/// - an attempt to connect that the program has called off is over: neither the link that was made nor a failure is told;
/// - a link that the program is ending may end as it likes: it ended as asked, without an error.
///
/// The state follows from three facts:
///
/// | link | ending | wish | state |
/// | --- | --- | --- | --- |
/// | no | | no | disconnected |
/// | no | | yes | connecting |
/// | yes | no | yes | connected |
/// | yes | yes | either | disconnecting |
struct ShownButton {
    /// A call of the delegate.
    enum Call {
        case didConnect
        case isReady
        case press(PressEvent)
        case pressInMode(PressInMode)
        case didDisconnect(LinkError?)
        case didFailToConnect(FlicError)
        case didUnpair
        case battery(Float)
        case renamed(String)
    }

    private(set) var info: ButtonInfo
    private(set) var nickname: Owned<String?>
    private(set) var triggerMode: Owned<FLICButtonTriggerMode>
    private(set) var latencyMode: FLICLatencyMode
    /// Nothing is done with the button any more.
    private(set) var isForgotten = false

    /// Whether a connection is wished for.
    private var wish: Owned<Bool>
    /// Whether there is a link that the program knows of.
    private var hasLink: Bool
    /// The program wants that link ended.
    private var isEnding = false

    /// - Parameter isPairing: The link of the pairing is there; no call is made for it (contract B.6.3, step 12).
    init(_ snapshot: ButtonSnapshot, isPairing: Bool) {
        info = snapshot.info
        nickname = Owned(snapshot.info.nickname)
        triggerMode = Owned(FLICButtonTriggerMode(snapshot.info.clickRules.mode))
        latencyMode = FLICLatencyMode(snapshot.info.latency)
        wish = Owned(snapshot.info.state != .disconnected)
        hasLink = isPairing
    }

    var state: FLICButtonState {
        guard hasLink else { return wish.value ? .connecting : .disconnected }
        return isEnding ? .disconnecting : .connected
    }

    var isReady: Bool { hasLink && info.isReady }

    // MARK: The program

    /// Returns whether the loop has to hear of it.
    mutating func connect() -> Bool {
        guard !isForgotten, info.isUnpaired || !wish.value else { return false }
        wish.set(!info.isUnpaired)
        return true
    }

    /// Returns whether the loop has to hear of it.
    mutating func disconnect() -> Bool {
        guard !isForgotten, wish.value else { return false }
        wish.set(false)
        isEnding = hasLink
        return true
    }

    /// Returns whether the loop has to hear of it.
    mutating func setNickname(_ text: String?) -> Bool {
        nickname.set(text.map(ButtonInfo.cutNickname))
        return !isForgotten
    }

    /// Returns whether the loop has to hear of it.
    mutating func setTriggerMode(_ mode: FLICButtonTriggerMode) -> Bool {
        triggerMode.set(mode)
        return !isForgotten
    }

    /// Returns whether the loop has to hear of it.
    mutating func setLatencyMode(_ mode: FLICLatencyMode) -> Bool {
        latencyMode = mode
        return !isForgotten
    }

    mutating func wishEchoed() { wish.echoed() }

    mutating func nicknameEchoed() { nickname.echoed() }

    mutating func triggerModeEchoed() { triggerMode.echoed() }

    // MARK: The loop

    /// Everything was read anew.
    mutating func learn(_ snapshot: ButtonSnapshot) {
        learn(snapshot.info)
        triggerMode.learn(FLICButtonTriggerMode(snapshot.info.clickRules.mode))
    }

    private mutating func learn(_ news: ButtonInfo) {
        info = news
        nickname.learn(news.nickname)
        switch news.state {
        case _ where news.isUnpaired: wish.force(false)
        case .disconnected: wish.learn(false)
        case .connecting, .connected: wish.learn(true)
        case .disconnecting: break
        }
    }

    /// The button is no longer the manager's.
    mutating func forget() {
        isForgotten = true
        wish.force(false)
    }

    /// Something happened. Returns the call that the delegate gets for it.
    mutating func apply(_ notice: ButtonNotice, _ news: ButtonInfo) -> Call? {
        let isOld = wish.isAhead
        learn(news)
        switch notice {
        case .connected:
            hasLink = !isOld
            return hasLink ? .didConnect : nil
        case .ready:
            return hasLink ? .isReady : nil
        case .press(let event):
            return hasLink ? .press(event) : nil
        case .pressInMode(let told):
            return hasLink ? .pressInMode(told) : nil
        case .disconnected(let error):
            let wasKnown = hasLink
            let wasAsked = isEnding
            hasLink = false
            isEnding = false
            return wasKnown ? .didDisconnect(wasAsked ? nil : error) : nil
        case .failedToConnect(let error):
            return isOld ? nil : .didFailToConnect(error)
        case .unpaired:
            return .didUnpair
        case .battery(let battery):
            return hasLink ? .battery(Float(battery.volts)) : nil
        case .renamed(let name):
            return hasLink && !nickname.isAhead ? .renamed(name) : nil
        case .notReady, .queueFinished, .turned:
            return nil
        }
    }
}
