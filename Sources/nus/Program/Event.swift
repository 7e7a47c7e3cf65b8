/// Something that has happened, as a line for people or a JSON object, whose members are left out where they do not apply.
struct Event: Encodable {
    /// What has happened.
    var event: String
    var address: String?
    var name: String?
    /// Signal strength in dBm.
    var rssi: Int?
    /// A path.
    var path: String?
    /// What was received: a line.
    var line: String?
    /// How many bytes were not passed on.
    var lost: Int?
    /// One word that says why.
    var reason: String?
    /// A sentence that says why.
    var message: String?

    /// For people.
    var text: String
    /// What the command is for, rather than how it is doing.
    var isResult = false

    enum CodingKeys: CodingKey {
        case event, address, name, rssi, path, line, lost, reason, message
    }

    init(_ event: String, _ text: String) {
        self.event = event
        self.text = text
    }
}
