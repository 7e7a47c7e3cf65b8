import Logs

/// A JSON value, and where it begins.
struct LocatedJSON {
    enum Value {
        case null
        case flag(Bool)
        case number(Double)
        case text(String)
        case list([LocatedJSON])
        /// In the order of the text; a name may come twice.
        case object([Member])
    }

    struct Member {
        let name: String
        /// Of the name.
        let line: Int
        let value: LocatedJSON
    }

    /// From 1.
    let line: Int
    let value: Value
}

extension LocatedJSON.Value {
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    var flag: Bool? {
        guard case .flag(let flag) = self else { return nil }
        return flag
    }

    var number: Double? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    var list: [LocatedJSON]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }

    var object: [LocatedJSON.Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// As errors show it, in a few words.
    var excerpt: String {
        switch self {
        case .null: "null"
        case .flag(let flag): "\(flag)"
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .text(let text): "\"\(text.excerpt)\""
        case .list: "a list"
        case .object: "an object"
        }
    }
}
