/// Notices that the button has stopped asking whether the client is there (protocol 4.3, 10.3): then the session, or the link, may have ended
/// without a word.
///
/// How often it asks is not documented, so it is learnt from the button; one that has not asked twice within a minute is asked itself, once. What else comes
/// from it is not counted: the time is looked at once a minute, not with each packet.
struct Silence: Sendable {
    /// So many pings in a row have to be missing,
    static let missing = 6
    /// and this time has to be over.
    static let shortest = Duration.seconds(60)

    private var lastPing: Duration?
    private var longestGap: Duration?
    /// When to look next.
    private(set) var deadline: Duration?

    /// The session is running.
    mutating func began(now: Duration) { deadline = now + Self.shortest }

    mutating func pinged(now: Duration) {
        if let lastPing { longestGap = max(longestGap ?? .zero, now - lastPing) }
        lastPing = now
        if deadline == nil, let limit { deadline = now + limit }
    }

    private var limit: Duration? { longestGap.map { max($0 * Self.missing, Self.shortest) } }

    /// Looks, if it is time to.
    mutating func isTooLong(now: Duration) -> Bool {
        guard let deadline, deadline <= now else { return false }
        guard let limit, let lastPing else {
            self.deadline = nil
            return true
        }
        guard lastPing + limit <= now else {
            self.deadline = lastPing + limit
            return false
        }
        self.deadline = now + limit
        return true
    }
}
