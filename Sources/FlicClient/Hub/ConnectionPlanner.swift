import FoundationEssentials
import GATT

/// Decides for all buttons together: when to listen for them, who is connected next, and who makes room for whom.
///
/// Pure: what happens comes in through calls that name the time; ``steps(now:isIdle:)`` says what is to be done. The wish of a single button to be
/// connected, and its pauses between attempts, are in ``ButtonConnection``.
///
/// - **Listening.** Only while a button is waited for, or an attempt takes long: bluetoothd may have lost the device. At first without a pause; when nothing new has happened for a while, with pauses in which
///   others have the radio. They are shorter than the five seconds in which a button that was pressed advertises fastest (protocol 9.5). Listening anew
///   also helps where a discovery has come to a stand by itself (bluez/bluez#1126). While a link is being made the radio is left to that, for a while:
///   a controller that scans may be late to see the device it is to connect.
/// - **Adapters.** The one in use; all that there are if a button has not been heard for a while, or if there is no room for it.
/// - **Attempts.** A few at a time, as the kernel makes one link after another and gives up if many wait (bluez-facts, "Connecting"); those who were
///   heard first come first. Who was heard too long ago has to be heard again: no attempts pile up for buttons that have gone.
/// - **Room.** How many links the adapter can hold is learnt from its refusals. Then the button that has been idle longest makes room for one that
///   was heard: as it was hung up on, it is silent until it is pressed.
struct ConnectionPlanner: Sendable {
    /// What is to be done.
    enum Step: Equatable, Sendable {
        /// Make a link to a button that was heard.
        case open(UUID)
        /// Make the link that a pairing waits for.
        case openForPairing
        /// Hang up: its link is needed for another one.
        case makeRoom(UUID)
        /// The adapter can hold so many links, and there are more buttons.
        case tellLimit(Int)
    }

    /// What a button is doing.
    enum Phase: Equatable, Sendable {
        /// Nothing: there is no wish.
        case none
        /// It has to be heard.
        case waiting
        case opening
        case up
        case closing
    }

    /// What a pairing is doing.
    enum Pairing: Equatable, Sendable {
        /// Nothing that takes a link.
        case none
        /// It has found a button, and waits for its turn, which comes before all others'.
        case waiting
        case linked
    }

    /// Without a pause since something new has happened.
    static let eagerTime = Duration.seconds(120)
    /// Longer than a round of the kernel, in which a strict controller reports a device once (bluez-facts, "Discovery").
    static let listenTime = Duration.seconds(12)
    static let restTime = Duration.seconds(4)
    /// How long the radio is left to an attempt.
    static let quietTime = Duration.seconds(3)
    /// A button that has not been heard for so long is listened for with all adapters.
    static let reachTime = Duration.seconds(15)
    /// Attempts at a time.
    static let mostAttempts = 4
    /// How long it counts that a button was heard.
    static let heardTime = Duration.seconds(12)
    /// A button keeps its link at least this long after it became ready or was used.
    static let holdTime = Duration.seconds(2)
    /// A limit that was learnt is tried anew after this time: other programs may have had the links.
    static let limitTime = Duration.seconds(600)

    private struct Member {
        var phase = Phase.none
        /// Since when it has been in this phase.
        var since: Duration
        /// When it was last heard, if it waits for its turn.
        var heardAt: Duration?
        /// When it was last used, or became ready.
        var activeAt: Duration
    }

    private var members: [UUID: Member] = [:]
    private var counts: [Phase: Int] = [:]
    /// Those that were heard and wait for their turn.
    private var heard: Set<UUID> = []
    /// When something new happened last; windows are counted from there.
    private var newsAt = Duration.zero
    private var limit: (links: Int, learntAt: Duration)?
    private var toldLimit: Int?

    var pairing = Pairing.none

    private func count(_ phase: Phase) -> Int { counts[phase] ?? 0 }

    /// How many links the adapter can hold, if that has been learnt.
    var connectionLimit: Int? { limit?.links }

    /// There are more buttons with a wish than links.
    var isCrowded: Bool { limit.map { $0.links < members.count - count(.none) } ?? false }

    // MARK: What happens

    /// A button is doing something else now.
    mutating func note(_ id: UUID, _ phase: Phase, now: Duration) {
        let old = members[id]
        guard old?.phase ?? .none != phase else { return }
        if let old { counts[old.phase, default: 0] -= 1 }
        counts[phase, default: 0] += 1
        members[id] = Member(phase: phase, since: now, activeAt: now)
        heard.remove(id)
        if phase == .waiting { newsAt = now }
        let links = count(.up)
        if let known = limit?.links, known < links { limit?.links = links }
    }

    /// A button is no longer there.
    mutating func remove(_ id: UUID) {
        guard let old = members.removeValue(forKey: id) else { return }
        counts[old.phase, default: 0] -= 1
        heard.remove(id)
    }

    /// A button that waits was heard and may be connected now.
    mutating func heard(_ id: UUID, now: Duration) {
        guard members[id]?.phase == .waiting else { return }
        if members[id]?.heardAt.map({ $0 + Self.heardTime < now }) ?? true { members[id]?.heardAt = now }
        heard.insert(id)
    }

    /// A button became ready, or was used.
    mutating func used(_ id: UUID, now: Duration) { members[id]?.activeAt = now }

    /// The adapter has refused a link because it holds as many as it can.
    mutating func refused(now: Duration) { limit = (max(count(.up) + count(.closing), 1), now) }

    /// Whether hanging up on a button can make room.
    var canMakeRoom: Bool { count(.up) > 0 }

    /// The adapter is off, or another one: what it was like does not matter any more.
    mutating func adapterLost() {
        heard = []
        limit = nil
        for id in members.keys { members[id]?.heardAt = nil }
    }

    /// Bluetooth is there again: everything is to be found anew.
    mutating func adapterFound(now: Duration) { newsAt = now }

    // MARK: What to do

    /// The steps that are due. They have been carried out when this is called again.
    ///
    /// - Parameter isIdle: Whether a button that is up has nothing under way.
    mutating func steps(now: Duration, isIdle: (UUID) -> Bool) -> [Step] {
        if let learntAt = limit?.learntAt, learntAt + Self.limitTime <= now { limit = nil }
        for id in heard where (members[id]?.heardAt ?? .zero) + Self.heardTime < now {
            heard.remove(id)
            members[id]?.heardAt = nil
        }
        var steps: [Step] = []
        if isCrowded, let links = limit?.links, links != toldLimit {
            toldLimit = links
            steps.append(.tellLimit(links))
        }
        let next = heard.sorted { order($0) < order($1) }.prefix(max(0, Self.mostAttempts - count(.opening)))
        let used = count(.up) + count(.opening) + count(.closing) + (pairing == .linked ? 1 : 0)
        var wanted = next.map(Step.open)
        if pairing == .waiting { wanted.insert(.openForPairing, at: 0) }
        let free = limit.map { max(0, $0.links - used) } ?? .max
        steps += wanted.prefix(free)
        let missing = wanted.count - min(wanted.count, free) - count(.closing)
        if missing > 0 { steps += victims(now: now, isIdle: isIdle).prefix(missing).map(Step.makeRoom) }
        return steps
    }

    /// By when they were heard; of two at the same time, always the same one first.
    private func order(_ id: UUID) -> (Duration, UUID) { (members[id]?.heardAt ?? .zero, id) }

    /// Those who can make room, the longest idle first.
    private func victims(now: Duration, isIdle: (UUID) -> Bool) -> [UUID] {
        members.filter { $0.value.phase == .up && $0.value.activeAt + Self.holdTime <= now && isIdle($0.key) }
            .sorted { ($0.value.activeAt, $0.key) < ($1.value.activeAt, $1.key) }.map(\.key)
    }

    // MARK: Listening

    /// Whether to listen for the buttons that wait, and how far; nil for not now.
    func listening(now: Duration) -> DiscoveryReach? {
        guard isSeeking, quietEnd(now: now) == nil else { return nil }
        let elapsed = now - newsAt
        if elapsed >= Self.eagerTime, (elapsed - Self.eagerTime).remainder(Self.listenTime + Self.restTime) < Self.restTime { return nil }
        return isFarSighted(now: now) ? .all : .chosen
    }

    /// A button is waited for, or being connected.
    var isSeeking: Bool { count(.waiting) + count(.opening) > 0 }

    private func isFarSighted(now: Duration) -> Bool {
        limit != nil || members.values.contains { $0.phase == .waiting && $0.since + Self.reachTime <= now }
    }

    /// Until when the radio is left to an attempt.
    private func quietEnd(now: Duration) -> Duration? {
        guard count(.opening) > 0 else { return nil }
        let end = members.values.filter { $0.phase == .opening }.map { $0.since + Self.quietTime }.max()
        return end.flatMap { $0 > now ? $0 : nil }
    }

    /// When ``steps(now:isIdle:)`` or ``listening(now:)`` may have another answer by themselves.
    func deadline(now: Duration) -> Duration? {
        var times: [Duration] = []
        if isSeeking {
            if let end = quietEnd(now: now) { times.append(end) }
            times.append(nextTurn(now: now))
            times += members.values.filter { $0.phase == .waiting }.map { $0.since + Self.reachTime }
        }
        // Those who were heard wait for room.
        if !heard.isEmpty || pairing == .waiting, count(.closing) == 0 {
            times += members.values.filter { $0.phase == .up }.map { $0.activeAt + Self.holdTime }
        }
        return times.filter { $0 > now }.min()
    }

    /// When listening begins or pauses next.
    private func nextTurn(now: Duration) -> Duration {
        let firstRest = newsAt + Self.eagerTime
        guard now >= firstRest else { return firstRest }
        let cycle = Self.listenTime + Self.restTime
        let into = (now - firstRest).remainder(cycle)
        return now - into + (into < Self.restTime ? Self.restTime : cycle)
    }
}

extension Duration {
    /// What is left after as many of `divisor` as fit; neither may be negative.
    fileprivate func remainder(_ divisor: Duration) -> Duration { self - divisor * Int(self / divisor) }
}
