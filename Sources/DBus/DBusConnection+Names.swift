internal import EventLoops

/// What is known of the owner of a bus name.
struct NameOwner {
    /// The subscription to its changes.
    let changes: DBusConnection.SubscriptionID
    /// The unique name of the owner; nil: none.
    var owner: String?
    /// Whether the bus has told it yet.
    var isKnown = false
    /// Subscriptions and watches that need it.
    var uses = 0
    var watchers: [DBusConnection.SubscriptionID: Watcher] = [:]

    struct Watcher {
        let handler: @Sendable (String?) -> Void
        var wasTold = false
    }
}

extension DBusConnection {
    /// Watches who owns a name. The owner is not started for it.
    /// - Parameter handler: First told the present owner (nil: none), then each change; on the loop, in the order of the bus.
    public func watchOwner(of name: String, _ handler: @escaping @Sendable (_ owner: String?) -> Void) -> SubscriptionID {
        let id = subscriptions.nextID()
        guard !hasEnded else { return id }
        retainOwner(of: name)
        ownerWatches[id] = name
        owners[name]?.watchers[id] = NameOwner.Watcher(handler: handler)
        if owners[name]?.isKnown == true {
            loop.execute { [weak self] in self?.assumeIsolated { $0.tellOwner(of: name, to: id, isNews: false) } }
        }
        return id
    }

    /// Takes a name on the bus, without waiting in a queue for it.
    /// - Parameter reply: Fails with ``DBusError/nameTaken`` if somebody else has it, or with an error of the bus.
    public func requestName(_ name: String, reply: @escaping @Sendable (Result<Void, DBusError>) -> Void) {
        let doNotQueue: UInt32 = 4
        callBus("RequestName", [.string(name), .uint32(doNotQueue)]) { result in
            reply(
                result.flatMap { values in
                    switch values.first {
                    case .uint32(1), .uint32(4): .success(())  // ours now, or before
                    default: .failure(DBusError(name: DBusError.nameTaken, message: "Somebody else has the name", context: name))
                    }
                }
            )
        }
    }

    /// Gives a name back.
    public func releaseName(_ name: String) {
        callBus("ReleaseName", [.string(name)]) { _ in
            // Either way it isn't ours any more.
        }
    }

    // MARK: Inside

    /// Follows the owner of a name from now on, if that isn't done already.
    ///
    /// The changes are subscribed to before the present owner is asked for, so none is missed. The bus answers in order, so the
    /// answer is at least as new as any change that came before it.
    func retainOwner(of name: String) {
        if owners[name] == nil {
            let rule = MatchRule(
                sender: Bus.name,
                path: Bus.path,
                interface: Bus.name,
                member: "NameOwnerChanged",
                firstArgument: name
            )
            let changes = subscribe(rule) { [weak self] signal in
                guard signal.arguments.count == 3, let owner = signal.arguments[2].string else { return }
                self?.assumeIsolated { $0.ownerIs(owner, of: name) }
            }
            owners[name] = NameOwner(changes: changes)
            callBus("GetNameOwner", [.string(name)]) { [weak self] result in
                self?.assumeIsolated { $0.presentOwner(result, of: name) }
            }
        }
        owners[name]?.uses += 1
    }

    /// The opposite of ``retainOwner(of:)``.
    func releaseOwner(of name: String) {
        owners[name]?.uses -= 1
        guard let owner = owners[name], owner.uses == 0 else { return }
        owners[name] = nil
        unsubscribe(owner.changes)
    }

    private func presentOwner(_ result: Result<[DBusValue], DBusError>, of name: String) {
        switch result {
        case .success(let values):
            ownerIs(values.first?.string ?? "", of: name)
        case .failure(let error) where error.name == DBusError.nameHasNoOwner || !BusSyntax.isBusName(name):
            ownerIs("", of: name)
        case .failure(let error):
            lose(error)
        }
    }

    private func ownerIs(_ owner: String, of name: String) {
        let owner = owner.isEmpty ? nil : owner
        guard let known = owners[name] else { return }
        let isNews = !known.isKnown || known.owner != owner
        owners[name]?.owner = owner
        owners[name]?.isKnown = true
        for id in known.watchers.keys.sorted(by: { $0.number < $1.number }) { tellOwner(of: name, to: id, isNews: isNews) }
    }

    private func tellOwner(of name: String, to id: SubscriptionID, isNews: Bool) {
        guard let known = owners[name], let watcher = known.watchers[id], isNews || !watcher.wasTold else { return }
        owners[name]?.watchers[id]?.wasTold = true
        watcher.handler(known.owner)
    }
}
