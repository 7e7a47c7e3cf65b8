extension DBusConnection {
    /// Hears signals.
    ///
    /// Subscriptions with equal rules share one rule at the bus. A signal goes only to those whose rule it matches; a well-known
    /// name of the sender stands for whoever owns it at that point of the bus's order.
    ///
    /// A rule that contains invalid names matches nothing. If the bus refuses a rule, which it does when there are too many, the
    /// connection is `.lost`: it would be deaf otherwise.
    /// - Parameter handler: Called on the loop, in the order of the bus.
    public func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Signal) -> Void) -> SubscriptionID {
        let id = subscriptions.nextID()
        guard !hasEnded, rule.isValid else { return id }
        // The owner first: then it is known before the first signal that this rule brings.
        if let name = rule.wellKnownSender { retainOwner(of: name) }
        if subscriptions.add(SubscriptionTable.Subscription(rule: rule, handler: handler), as: id) {
            callBus("AddMatch", [.string(rule.text)]) { [weak self] result in
                guard case .failure(let error) = result else { return }
                self?.assumeIsolated { $0.lose(error) }
            }
        }
        return id
    }

    /// Ends a subscription or a watch of an owner; its handler is not called any more.
    public func unsubscribe(_ id: SubscriptionID) {
        if let name = ownerWatches.removeValue(forKey: id) {
            owners[name]?.watchers[id] = nil
            releaseOwner(of: name)
        } else if let (rule, wasLast) = subscriptions.remove(id) {
            if wasLast {
                callBus("RemoveMatch", [.string(rule.text)]) { _ in
                    // It can't fail but with the connection, which is told by itself.
                }
            }
            if let name = rule.wellKnownSender { releaseOwner(of: name) }
        }
    }

    /// Announces something. Nothing is sent without a bus, or if names or values are not valid.
    public func send(_ signal: Signal) {
        guard !hasEnded, let message = try? Message.signal(signal) else { return }
        transmit(.message(message))
    }

    // MARK: Inside

    /// Gives a signal from the bus to those who want it.
    func deliver(_ message: Message) {
        guard let path = message.path, let interface = message.interface, let member = message.member else { return }
        let candidates = subscriptions.candidates(member: member, path: path)
        guard !candidates.isEmpty else { return }
        let sender = message.sender ?? ""
        let wanted = candidates.filter { id in
            guard let rule = subscriptions[id]?.rule else { return false }
            return (rule.interface ?? interface) == interface && isSender(sender, rule.sender)
        }
        // The body is read only if somebody wants it. One that cannot be read, because it exceeds a limit, reaches nobody.
        guard !wanted.isEmpty, let arguments = try? message.arguments() else { return }
        let signal = Signal(at: path, interface, member, arguments, sender: sender)
        for id in wanted {
            // A handler before may have ended this subscription.
            guard let subscription = subscriptions[id] else { continue }
            if let first = subscription.rule.firstArgument, arguments.first != .string(first) { continue }
            subscription.handler(signal)
        }
    }

    private func isSender(_ sender: String, _ wanted: String?) -> Bool {
        guard let wanted, wanted != sender else { return true }
        guard let owner = owners[wanted]?.owner else { return false }
        return owner == sender
    }
}
