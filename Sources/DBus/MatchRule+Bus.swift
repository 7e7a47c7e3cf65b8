extension MatchRule {
    /// Whether the bus understands it. It takes a path or a namespace, not both.
    var isValid: Bool {
        sender.map(BusSyntax.isBusName) ?? true
            && path.map(BusSyntax.isPath) ?? true
            && pathNamespace.map(BusSyntax.isPath) ?? true
            && (path == nil || pathNamespace == nil)
            && interface.map(BusSyntax.isInterface) ?? true
            && member.map(BusSyntax.isMember) ?? true
            && firstArgument.map(BusSyntax.isText) ?? true
    }

    /// The rule in the form of the D-Bus specification.
    var text: String {
        var parts = ["type='signal'"]
        func add(_ key: String, _ value: String?) {
            // Within quotes only the quote itself is special: it is written outside.
            guard let value else { return }
            parts.append("\(key)='\(value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'")
        }
        add("sender", sender)
        add("path", path)
        add("path_namespace", pathNamespace)
        add("interface", interface)
        add("member", member)
        add("arg0", firstArgument)
        return parts.joined(separator: ",")
    }

    /// The sender, if it is a name that may change hands.
    var wellKnownSender: String? {
        guard let sender, !sender.hasPrefix(":"), sender != Bus.name else { return nil }
        return sender
    }
}
