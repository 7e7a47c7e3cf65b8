/// One firmware image on its way to the button, in one session (protocol 4.5, 9.4, 13.5).
///
/// Pure: answers and the time come in, ``Step``s come out, to be carried out in order. Signatures, frames and the limit of two requests are the session's
/// business. Positions on the air count words of four bytes (Flic 2) or bytes (Duo); here and in what is told they count bytes of the payload. On the
/// air there is no part of a word, so a position is always one at which the image can be cut.
///
/// ```
/// asking ──← 18 position ≥ 0──▶ sending ──← 19 position = length──▶ over: installed, → 6
///    │                            │  ▲
///    │                            └──┘ ← 19 position: the window moves on, → 18 until it is full
///    ├──← 18 negative             ├── ← 19 position 0: signature wrong
///    │                            ├── ← 18 or 19 with a position that cannot be
///    │                            ├── no position for `patience`
///    ▼                            ▼
///   over: failed                 over: failed
/// ```
///
/// 1. *Start.* → 17 (Duo: → 38) has the length and the header. The answer is where to go on, zero for a new image, more for one that was interrupted:
///    the button remembers, nobody else needs to. Negative answers are refusals: -1 parameters, -2 another client's update is under way, -3 an update
///    waits for the button to restart. That one is this image if all of it was sent in an earlier session and its acknowledgement did not arrive;
///    then the update is complete.
/// 2. *Window.* → 18 (Duo: → 39) packets are sent while less than a window of the payload is out without an acknowledgement. The last packet of a window is as
///    long as the window allows, the last of the image as long as there is image.
/// 3. *Acknowledgement.* ← 19 says how much has arrived. It never falls; zero means that the image was complete and its signature wrong. A position
///    beyond what was sent, or behind what was acknowledged, is an error: the two sides do not speak of the same thing.
/// 4. *End.* Only ← 19 with the length is success, even if nothing was left to be sent. The button then has to be sent off the link (→ 6, `restart_adv` 1):
///    it restarts when the link is gone.
/// 5. *Time.* The session watches over the answer to the start, as over any other. From there on an acknowledgement that brings something new has to
///    arrive within ``patience`` each time; there is always something that it can bring. Nobody else's packets count.
/// 6. *Abort.* There is no packet for it: nothing more is sent, and the button keeps what it has. Packets on their way, and answers to them, do no harm.
///
/// A transfer is used once. One that follows in the same session is told apart from it by the order of answers: the button does one thing after the
/// other, so what belongs to the former one arrives before the answer to the start of the next, and is passed over.
struct FirmwareTransfer: Sendable {
    /// How long an acknowledgement may take. At the slowest connection interval, a status interval goes over the air in a tenth of it.
    static let patience = Duration.seconds(30)

    /// What has to be done.
    enum Step: Equatable, Sendable {
        /// Send a packet.
        case send([UInt8])
        /// Tell how far it is.
        case progress(HostSession.FirmwareProgress)
        /// The button has all of it, and the signature is right.
        case installed
        case failed(HostSession.FirmwareFailure)
        /// The packet says nothing.
        case ignored
    }

    private enum State: Sendable {
        case asking
        case sending(acknowledged: Int, sent: Int, deadline: Duration)
        case over
    }

    let image: FirmwareImage
    /// All of it was sent in an earlier session.
    let wasSent: Bool
    private var state = State.asking

    init(_ image: FirmwareImage, wasSent: Bool) {
        self.image = image
        self.wasSent = wasSent
    }

    private var total: Int { image.payload.count }

    /// Whether the answer to the start is still to come.
    var isAsking: Bool { if case .asking = state { true } else { false } }

    /// When ``tick(now:)`` has something to say.
    var deadline: Duration? { if case .sending(_, _, let deadline) = state { deadline } else { nil } }

    /// The button has answered the start (← 18).
    mutating func started(at position: Int32, now: Duration) -> [Step] {
        guard case .asking = state else { return [.ignored] }
        switch position {
        case -1: return fail(.invalidParameters)
        case -2: return fail(.busy)
        case -3 where wasSent: return finish()
        case -3: return fail(.awaitsRestart)
        case ..<0: return fail(.refused(position))
        default: break
        }
        guard let start = offset(position), start <= total else { return fail(.impossiblePosition(position)) }
        return send(acknowledged: start, sent: start, now: now)
    }

    /// The button has told how much has arrived (← 19).
    mutating func acknowledged(_ position: Int32, now: Duration) -> [Step] {
        guard case .sending(let acknowledged, let sent, let deadline) = state else { return [.ignored] }
        guard position != 0 else { return fail(.invalidSignature) }
        guard let offset = offset(position), acknowledged...sent ~= offset else { return fail(.impossiblePosition(position)) }
        if offset == total { return finish() }
        return send(acknowledged: offset, sent: sent, now: now, keeping: offset == acknowledged ? deadline : nil)
    }

    /// Gives up if nothing was heard for too long.
    mutating func tick(now: Duration) -> [Step] {
        guard let deadline, deadline <= now else { return [] }
        return fail(.stalled)
    }

    /// Bytes of the payload; nil for a position that is none.
    private func offset(_ position: Int32) -> Int? { position < 0 ? nil : Int(position) * image.product.form.unit }

    /// Fills the window.
    private mutating func send(acknowledged: Int, sent: Int, now: Duration, keeping deadline: Duration? = nil) -> [Step] {
        let form = image.product.form
        let end = min(total, acknowledged + form.window)
        var steps: [Step] = []
        var sent = sent
        while sent < end {
            let next = min(end, sent + form.packetSize)
            steps.append(.send(image.packet(sent..<next)))
            sent = next
        }
        state = .sending(acknowledged: acknowledged, sent: sent, deadline: deadline ?? now + Self.patience)
        if deadline == nil { steps.append(.progress(.init(acknowledged: acknowledged, sent: sent, total: total))) }
        return steps
    }

    private mutating func finish() -> [Step] {
        state = .over
        var farewell = ForceBtDisconnectInd()
        farewell.restartAdv = 1
        return [.progress(.init(acknowledged: total, sent: total, total: total)), .installed, .send(farewell.body)]
    }

    private mutating func fail(_ failure: HostSession.FirmwareFailure) -> [Step] {
        state = .over
        return [.failed(failure)]
    }
}
