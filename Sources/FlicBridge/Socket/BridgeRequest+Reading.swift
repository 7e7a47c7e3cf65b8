import FoundationEssentials

/// Reading what a client has sent. Everything that is not exactly as it should be is refused, so that mistakes show.
extension BridgeRequest {
    /// Why a line is no request, and whom to tell.
    struct Unreadable: Error, Equatable {
        /// Nil if there is none, or none that can be read.
        let id: RequestID?
        let refusal: BridgeRefusal
    }

    init(_ line: [UInt8]) throws(Unreadable) {
        // A byte 0 would have the decoder take the text for UTF-16.
        guard String(validating: line, as: UTF8.self) != nil, !line.contains(0) else {
            throw Unreadable(id: nil, refusal: BridgeRefusal(.badRequest, "A request has to be text in UTF-8."))
        }
        let head = try Self.decode(Head.self, line, id: nil)
        func refuse(_ reason: BridgeRefusal.Reason, _ message: String) -> Unreadable {
            Unreadable(id: head.id, refusal: BridgeRefusal(reason, message))
        }
        guard let text = head.request else { throw refuse(.missingMember, "A request needs the member 'request'.") }
        guard let name = Name(rawValue: text) else {
            let known = Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw refuse(.unknownRequest, "There is no request '\(text.excerpt)', only \(known).")
        }
        let (needed, possible) = Self.members(of: name)
        let known = needed.union(possible).union([.id, .request])
        for member in head.members.sorted() where !known.contains(where: { $0.rawValue == member }) {
            throw refuse(.unknownMember, "The request '\(name.rawValue)' has no member '\(member.excerpt)'.")
        }
        for member in needed.map(\.rawValue).sorted() where !head.members.contains(member) {
            throw refuse(.missingMember, "The request '\(name.rawValue)' needs the member '\(member)'.")
        }
        self = try Self.decode(Self.self, line, id: head.id)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ line: [UInt8], id: RequestID?) throws(Unreadable) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(line))
        } catch {
            throw Unreadable(id: id, refusal: BridgeRefusal(.badRequest, sentence(error)))
        }
    }

    private static func sentence(_ error: any Error) -> String {
        let notJSON = "A request has to be one JSON object in one line."
        guard let error = error as? DecodingError else { return notJSON }
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            guard let member = context.codingPath.first?.stringValue else { return notJSON }
            return "The member '\(member.excerpt)' has to be \(Self.kind(of: type, in: context))."
        case .dataCorrupted(let context):
            guard let member = context.codingPath.first?.stringValue else { return notJSON }
            return "The member '\(member.excerpt)' has to be \(member == "id" ? context.debugDescription : "another value")."
        default: return notJSON
        }
    }

    private static func kind(of type: any Any.Type, in context: DecodingError.Context) -> String {
        if context.codingPath.first?.stringValue == "buttons" || context.codingPath.first?.stringValue == "events" { return "an array of texts" }
        switch type {
        case is Double.Type: return "a number"
        case is Bool.Type: return "true or false"
        default: return "a text"
        }
    }

    /// As much as is needed to refuse a request properly.
    private struct Head: Decodable {
        let id: RequestID?
        let request: String?
        let members: Set<String>

        private struct Member: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Member.self)
            members = Set(container.allKeys.map(\.stringValue))
            id = try container.decodeIfPresent(RequestID.self, forKey: Member(stringValue: "id"))
            request = try container.decodeIfPresent(String.self, forKey: Member(stringValue: "request"))
        }
    }
}
