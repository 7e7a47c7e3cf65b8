import FlicClient
import FoundationEssentials
import MQTT

/// What others publish: requests, and what is found at the broker. None of it is trusted.
extension HomeAssistant {
    /// Longer names are refused, in bytes; a button has room for 23.
    private static let longestName = 256
    /// Names that are being changed; more are refused.
    private static let mostRenames = 16
    /// How often a wrong word about the bridge is put right.
    private static let correctionPause = Duration.seconds(30)

    func receive(_ message: MQTTMessage) {
        switch topics.subject(of: message.topic) {
        case .state(let id):
            if message.isRetained { found(id, message.payload) }
        case .bridgeAvailability:
            // What is retained is of an earlier connection.
            if !message.isRetained { heard(message.payload) }
        case .nameCommand(let id):
            // One that is retained would come with every connection.
            if !message.isRetained { rename(id, message.payload) }
        case .homeAssistantStatus:
            if !message.isRetained, message.payload == Array(Availability.online.rawValue.utf8) { announceAnew() }
        case nil: break
        }
    }

    /// The broker has retained a state. Buttons of this bridge that are no more are removed.
    private func found(_ id: String, _ payload: [UInt8]) {
        guard let state = RetainedState(payload), state.published.bridge == clientID else { return }
        guard id == BridgeTopics.bridge || buttons[id] != nil else {
            guard strangers < Self.mostStrangers else { return }
            strangers += 1
            published[id] = state.published
            return remove(id)
        }
        if lastPresses[id] == nil { lastPresses[id] = state.lastPress(now: date()) }
        supersede(id, state.published)
    }

    /// Somebody says whether this bridge is there.
    private func heard(_ payload: [UInt8]) {
        if payload == Array(Availability.online.rawValue.utf8) { return finishReading() }
        // The will of an earlier connection can come late. It is never true of this one.
        guard isAnnounced, payload == Array(Availability.offline.rawValue.utf8), loop.now >= nextCorrection else { return }
        nextCorrection = loop.now + Self.correctionPause
        let topic = topics.availability(of: BridgeTopics.bridge)
        told[topic] = nil
        tell(topic, Availability.online)
    }

    private func rename(_ id: String, _ payload: [UInt8]) {
        guard let info = buttons[id] else { return }
        guard let name = String(validating: payload, as: UTF8.self), payload.count <= Self.longestName,
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return remark(.problem, "A new name was refused: it is not a line of text of up to \(Self.longestName) bytes.", of: info) }
        guard renames < Self.mostRenames else { return remark(.problem, "A new name was refused: too many are being changed.", of: info) }
        renames += 1
        Task(executorPreference: loop) { await self.setName(name, of: info) }
    }

    private func setName(_ name: String, of info: ButtonInfo) async {
        do throws(FlicError) {
            try await bridge.change(info.identifier) { await $0.setNickname(name.isEmpty ? nil : name) }
        } catch {
            remark(.problem, "The name could not be changed: \(error.description)", of: info)
        }
        renames -= 1
    }
}
