import FlicProtocol

/// A ``ReadvertisingMode`` in its stored form. Times that no button has are taken as the nearest possible.
struct StoredReadvertising: Codable {
    var isActive: Bool
    /// Unit 0.625 ms.
    var firstInterval: Int
    /// Unit 0.625 ms.
    var laterInterval: Int
    var seconds: Int

    init(_ mode: ReadvertisingMode) {
        isActive = mode.isActive
        firstInterval = Int(mode.settings.firstInterval)
        laterInterval = Int(mode.settings.laterInterval)
        seconds = Int(mode.settings.duration)
    }

    var mode: ReadvertisingMode {
        guard isActive else { return .off }
        let unit = ReadvertisingMode.unit
        return .custom(first: unit * firstInterval, later: unit * laterInterval, duration: .seconds(seconds))
    }
}
