/// Carries out web hooks.
package protocol WebhookSender: Sendable {
    /// Sends a request, and tries again as the hook says. Requests of one hook are sent in the order of the calls.
    ///
    /// - Returns: What became of it, at last; the caller logs it.
    func send(_ hook: Configuration.Webhook, for event: EventRecord) async -> WebhookOutcome
}

/// What became of a web hook.
package enum WebhookOutcome: Sendable, Equatable {
    /// The server took it.
    case delivered
    /// It was not sent: too many wait, or it would be too old. With the reason, without secrets.
    case dropped(String)
    /// It could not be sent, or the server refused it. With the reason, without secrets.
    case failed(String)
}
