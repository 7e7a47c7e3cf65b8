import GATT
import Logs

// Values are checked here, so that nothing is found wrong only when a button is pressed.

extension Configuration {
    init(_ section: ConfigurationSection, _ refusals: ConfigurationFile.Refusals) {
        self.init(
            adapter: section.value("adapter", "the name of an adapter, such as hci0, or its address") { $0.text.flatMap(Self.adapter) },
            store: section.absolutePath("store"),
            socket: section.section("socket") { Socket($0) },
            metrics: section.section("metrics") { Metrics(port: $0.port("port", default: 9464)) },
            mqtt: section.section("mqtt") { MQTT($0) },
            rules: Self.rules(section, refusals)
        )
        if section.has("mqtt"), let refusal = refusals.mqtt { section.problem("mqtt", refusal) }
    }

    private static func rules(_ section: ConfigurationSection, _ refusals: ConfigurationFile.Refusals) -> [Rule] {
        var names: [String: Int] = [:]
        return section.sections("rules", most: Rule.mostRules) { index, section in
            let rule = Rule(section, number: index + 1, refusals)
            if let first = names[rule.name] { section.problem("name", "'\(rule.name)' is the name of rules[\(first)] already") }
            names[rule.name] = names[rule.name] ?? index
            return rule
        } ?? []
    }

    private static func adapter(_ text: String) -> String? {
        if BluetoothAddress(text) != nil { return text }
        return text.hasPrefix("hci") && UInt16(text.dropFirst(3)) != nil ? text : nil
    }
}

extension ConfigurationSection {
    fileprivate func port(_ key: String, default usual: UInt16) -> UInt16 { integer(key, 1...65_535).map(UInt16.init) ?? usual }
}

extension Configuration.Socket {
    init(_ section: ConfigurationSection) {
        self.init(path: section.absolutePath("path", longest: 107) ?? "")
        if !section.has("path") { section.problem("path", "is missing: an absolute path") }
    }
}

// MARK: MQTT

extension Configuration.MQTT {
    init(_ section: ConfigurationSection) {
        let tls = section.section("tls") { TLS($0) }
        self.init(
            host: section.required("host", "the name or address of a broker") { $0.text.flatMap(Self.host) } ?? "",
            port: section.integer("port", 1...65_535).map(UInt16.init) ?? (section.has("tls") ? 8883 : 1883),
            username: section.value("username", "a text of 1 to 65535 bytes") { $0.text.flatMap(Self.name) },
            passwordFile: section.absolutePath("passwordFile"),
            tls: tls,
            clientID: section.value("clientID", "a text of 1 to 65535 bytes") { $0.text.flatMap(Self.name) },
            baseTopic: section.topic("baseTopic", default: "flickit"),
            discoveryPrefix: section.topic("discoveryPrefix", default: "homeassistant"),
            discovery: section.word("discovery", Discovery.self) ?? .device,
            suggestedAreas: section.map("suggestedAreas", "the name of an area, for a button", most: 1000) { button, area in
                button.isText(Configuration.Rule.longestName) && area.isText(Configuration.Rule.longestName)
            } ?? [:],
            maxAge: section.seconds("maxAge", 0...31_536_000)
        )
        if section.has("passwordFile") && !section.has("username") { section.problem("username", "is missing: a password needs one") }
    }

    private static func host(_ text: String) -> String? {
        text.isText(253) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") } ? text : nil
    }

    /// As a text of MQTT can be (MQTT 3.1.1, 1.5.3).
    private static func name(_ text: String) -> String? { text.isText(65_535) ? text : nil }
}

extension Configuration.MQTT.TLS {
    init(_ section: ConfigurationSection) {
        self.init(
            caFile: section.absolutePath("caFile"),
            certFile: section.absolutePath("certFile"),
            keyFile: section.absolutePath("keyFile"),
            insecure: section.flag("insecure") ?? false
        )
        for (one, other) in [("certFile", "keyFile"), ("keyFile", "certFile")] where section.has(one) && !section.has(other) {
            section.problem(other, "is missing: '\(one)' is of no use without it")
        }
    }
}

extension ConfigurationSection {
    fileprivate func topic(_ key: String, default usual: String) -> String {
        value(key, "a topic of at most 200 bytes, without '+' and '#', and no '/' at its beginning or end") { json in
            json.text.flatMap { text in
                let isTopic = text.isText(200) && !text.contains { "+#".contains($0) } && !text.hasPrefix("/") && !text.hasSuffix("/")
                // Topics that begin with '$' are the broker's own (MQTT 3.1.1, 4.7.2).
                return isTopic && !text.hasPrefix("$") && text == text.inOneLine ? text : nil
            }
        } ?? usual
    }
}
