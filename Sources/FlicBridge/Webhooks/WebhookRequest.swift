import FoundationEssentials
import HTTP

extension Configuration.Webhook {
    /// What is wrong with the hook as it is written; nil if nothing is: the URL, before and after its places have been filled, and the headers.
    package var problem: String? {
        guard let origin = HTTPOrigin(url) else { return "the URL does not begin with http:// or https:// and a host, which cannot be a template" }
        guard origin.isSecure || origin.isLoopback || allowInsecure else {
            return "the URL is neither https nor of this computer: what is sent could be read on the way"
        }
        let filled = WebhookTemplate(url).filled(with: [:], for: .url)
        return HTTPRequest.problem(url: filled) ?? headers.lazy.compactMap { HTTPRequest.problem(header: $0.key, $0.value) }.first
    }

    /// The request that tells of an event.
    ///
    /// - Parameter token: That of ``tokenFile``.
    func request(for record: EventRecord, token: String?) -> HTTPRequest {
        let values = WebhookTemplate.values(of: record)
        var all: [String: (name: String, value: String)] = [:]
        func set(_ name: String, _ value: String) { all[name.lowercased()] = (name, value) }
        if method == .post { set("Content-Type", "application/json") }
        if let key = record.idempotencyKey { set("Idempotency-Key", key) }
        for (name, value) in headers { set(name, WebhookTemplate(value).filled(with: values, for: .header)) }
        if let token { set("Authorization", "Bearer \(token)") }
        return HTTPRequest(
            method: method,
            url: WebhookTemplate(url).filled(with: values, for: .url),
            headers: all.values.sorted { $0.name < $1.name },
            body: method == .get ? [] : body(record, values, type: all["content-type"]?.value ?? "")
        )
    }

    private func body(_ record: EventRecord, _ values: [String: String], type: String) -> [UInt8] {
        guard let body else { return record.json }
        let type = type.lowercased()
        let place: WebhookTemplate.Place = type.contains("json") ? .json : type.hasPrefix("application/x-www-form-urlencoded") ? .url : .text
        return Array(WebhookTemplate(body).filled(with: values, for: place).utf8)
    }
}

extension EventRecord {
    /// The same each time that a server is told of a press, so that it can tell a second try from a second press: uuid, event counter and kind of event,
    /// as a click has the counter of the release that ends it. Nil for what is no press.
    package var idempotencyKey: String? {
        guard let uuid, let count else { return nil }
        return "\(uuid)-\(count)-\(event)"
    }
}
