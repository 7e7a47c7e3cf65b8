import GATT

/// Which services the program wants published, and how that is going.
///
/// Services are answered in the order in which they were added, so the next one is offered when the one before has been answered. What
/// belongs together by inclusion has to be published together, as bluetoothd finds included services only within one application, and
/// reads an application only once (contract D45). So the services fall into *groups*, and whenever the groups are not those that are
/// published, the old ones are taken back and the new ones published:
///
/// ```
///     added: battery          {battery}
///     added: sensor           {battery} {sensor}
///     added: hub, includes    {battery, hub} {sensor}       {battery} is taken back
///     both of them
///     hub refused             {battery} {sensor}            as before
/// ```
struct ServiceTable {
    /// Names a service that was added.
    struct ID: Hashable, Sendable {
        let number: UInt64
    }

    /// Services that are published together, in the order in which they were added: included ones come first.
    struct Group: Hashable, Sendable {
        let members: [ID]
    }

    /// What an input leads to, in this order.
    enum Action: Equatable {
        /// The answer is told by ``ServiceTable/answered(_:_:)``.
        case publish(Group)
        case unpublish(Group)
        /// Tell the program how it went. Comes once for each service that was added.
        case answer(ID, Refusal?)
        /// These are published anew with others, and nobody is subscribed to them any more.
        case interrupt(ID)
        /// Ask ``retry()`` some time later: what had been published cannot be published again.
        case retryLater
    }

    private struct Entry {
        enum Phase {
            case waiting
            case offered
            case published
        }

        let id: ID
        let content: Result<LocalService, Refusal>
        let includes: [ID]
        var phase = Phase.waiting
    }

    private var entries: [Entry] = []
    /// The groups that are published, or about to be.
    private var groups: Set<Group> = []

    // MARK: The program

    /// - Parameters:
    ///   - content: The service, or what is wrong with it.
    ///   - includes: Those that it includes. They must have been published by the time it is this one's turn.
    mutating func add(_ id: ID, _ content: Result<LocalService, Refusal>, includes: [ID]) -> [Action] {
        entries.append(Entry(id: id, content: content, includes: includes))
        return advance()
    }

    /// Takes a service back. Whoever asks has seen to it that no other includes it (contract D16).
    mutating func remove(_ id: ID) -> [Action] {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return [] }
        let entry = entries.remove(at: index)
        let answer: [Action] = entry.phase == .published ? [] : [.answer(id, Refusal(.operationCancelled))]
        return answer + advance()
    }

    /// Takes everything back.
    ///
    /// - Parameter reason: Told of those that have not been answered.
    mutating func removeAll(_ reason: Refusal = Refusal(.operationCancelled)) -> [Action] {
        let unanswered = entries.filter { $0.phase != .published }
        entries = []
        return unanswered.map { .answer($0.id, reason) } + reconcile()
    }

    // MARK: The transport

    /// It has been tried to publish a group.
    mutating func answered(_ group: Group, _ error: Refusal?) -> [Action] {
        guard groups.contains(group) else { return [] }  // taken back meanwhile
        let offered = entries.firstIndex { $0.phase == .offered && group.members.contains($0.id) }
        guard let error else {
            guard let offered else { return [] }
            entries[offered].phase = .published
            return [.answer(entries[offered].id, nil)] + advance()
        }
        groups.remove(group)
        guard let offered else { return [.retryLater] }
        let refused = entries.remove(at: offered)
        return [.answer(refused.id, error)] + advance()
    }

    /// The time of ``Action/retryLater`` has come.
    mutating func retry() -> [Action] { reconcile() }

    // MARK: What is in it

    /// The services of a group, each with the positions of those it includes.
    func services(of group: Group) -> [LocalService] {
        group.members.compactMap { id in
            guard let entry = entries.first(where: { $0.id == id }), var service = try? entry.content.get() else { return nil }
            service.includes = entry.includes.compactMap { group.members.firstIndex(of: $0) }
            return service
        }
    }

    /// The characteristics of a service.
    func characteristics(of id: ID) -> [AttributeID] {
        (try? entries.first { $0.id == id }?.content.get())?.characteristics.map(\.id) ?? []
    }

    // MARK: Steps

    /// Offers the next service, if none is on offer.
    private mutating func advance() -> [Action] {
        var answers: [Action] = []
        while !entries.contains(where: { $0.phase == .offered }), let next = entries.firstIndex(where: { $0.phase == .waiting }) {
            guard let problem = problem(with: entries[next]) else {
                entries[next].phase = .offered
                break
            }
            answers.append(.answer(entries.remove(at: next).id, problem))
        }
        return answers + reconcile()
    }

    private func problem(with entry: Entry) -> Refusal? {
        if case .failure(let error) = entry.content { return error }
        let published = entries.filter { $0.phase == .published }.map(\.id)
        return entry.includes.allSatisfy(published.contains) ? nil : Refusal(.invalidParameters)
    }

    /// Brings what is published in line with the groups as they are now.
    private mutating func reconcile() -> [Action] {
        let wanted = wantedGroups
        let old = groups.subtracting(wanted).sorted { $0.members[0].number < $1.members[0].number }
        let new = wanted.filter { !groups.contains($0) }
        groups = Set(wanted)
        let moved = old.flatMap(\.members).filter { id in new.contains { $0.members.contains(id) } }
        return moved.map { .interrupt($0) } + old.map { .unpublish($0) } + new.map { .publish($0) }
    }

    /// What is connected by inclusion is one group.
    private var wantedGroups: [Group] {
        let visible = entries.filter { $0.phase != .waiting }
        var groups: [[ID]] = []
        for entry in visible {
            let joined = groups.filter { group in entry.includes.contains { group.contains($0) } }
            groups.removeAll { joined.contains($0) }
            groups.append(joined.flatMap { $0 } + [entry.id])
        }
        return groups.map { group in Group(members: visible.map(\.id).filter { group.contains($0) }) }
    }
}
