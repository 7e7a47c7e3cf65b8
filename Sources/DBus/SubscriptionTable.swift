/// Who hears which signals.
///
/// Finding those who hear a signal takes a few look-ups, however many there are: subscriptions are sorted by the two things that
/// tell signals apart best, the member and the object.
struct SubscriptionTable {
    typealias ID = DBusConnection.SubscriptionID

    struct Subscription {
        let rule: MatchRule
        let handler: @Sendable (Signal) -> Void
    }

    private var count: UInt64 = 0
    private var subscriptions: [ID: Subscription] = [:]
    /// How many subscriptions have the same rule.
    private var uses: [MatchRule: Int] = [:]
    private var index: [String?: [Scope: [ID]]] = [:]

    private enum Scope: Hashable {
        case anywhere
        case object(String)
        case below(String)

        init(_ rule: MatchRule) {
            if let path = rule.path {
                self = .object(path)
            } else if let path = rule.pathNamespace {
                self = .below(path)
            } else {
                self = .anywhere
            }
        }
    }

    subscript(id: ID) -> Subscription? { subscriptions[id] }

    /// A new ID; each is greater than the ones before.
    mutating func nextID() -> ID {
        count += 1
        return ID(number: count)
    }

    /// - Returns: Whether it is the first with its rule.
    mutating func add(_ subscription: Subscription, as id: ID) -> Bool {
        let rule = subscription.rule
        subscriptions[id] = subscription
        index[rule.member, default: [:]][Scope(rule), default: []].append(id)
        uses[rule, default: 0] += 1
        return uses[rule] == 1
    }

    mutating func removeAll() {
        subscriptions = [:]
        uses = [:]
        index = [:]
    }

    /// - Returns: The rule, and whether it was the last subscription with it.
    mutating func remove(_ id: ID) -> (rule: MatchRule, wasLast: Bool)? {
        guard let rule = subscriptions.removeValue(forKey: id)?.rule else { return nil }
        let scope = Scope(rule)
        index[rule.member]?[scope]?.removeAll { $0 == id }
        if index[rule.member]?[scope]?.isEmpty == true { index[rule.member]?[scope] = nil }
        if index[rule.member]?.isEmpty == true { index[rule.member] = nil }
        let left = (uses[rule] ?? 1) - 1
        uses[rule] = left > 0 ? left : nil
        return (rule, left == 0)
    }

    /// Subscriptions whose rule fits the signal's member and object, in the order in which they were made.
    func candidates(member: String, path: String) -> [ID] {
        var found: [ID] = []
        for scopes in [index[member], index[nil]] {
            guard let scopes else { continue }
            found += scopes[.anywhere] ?? []
            found += scopes[.object(path)] ?? []
            for place in BusSyntax.pathAndAncestors(path) { found += scopes[.below(String(place))] ?? [] }
        }
        return found.count > 1 ? found.sorted { $0.number < $1.number } : found
    }
}
