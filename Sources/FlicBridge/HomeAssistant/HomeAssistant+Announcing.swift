import FlicClient
import FoundationEssentials
import MQTT

/// What is retained at the broker.
extension HomeAssistant {
    /// Tells how everything is. What the broker was told before in this connection, and is still so, is not told again.
    func announce() {
        isAnnounced = true
        announceBridge()
        for id in order { announce(id) }
    }

    /// Tells how a button is, and how Home Assistant finds it.
    func announce(_ id: String) {
        guard let info = buttons[id] else { return }
        let publication = publication(Gesture.all(of: info.product, by: info.clickRules))
        let shared = SharedSettings(
            device: device(info),
            origin: origin,
            availability: [BridgeTopics.bridge, id].map { AvailabilityTopic(topic: topics.availability(of: $0)) },
            availabilityMode: "all"
        )
        let entities = Component.ofButtons.map { ($0, $0.settings(of: id, topics, publication.gestures)) }
        announce(id, publication, shared, Dictionary(uniqueKeysWithValues: entities))
        tell(topics.availability(of: id), isUsable(info) ? Availability.online : .offline)
        let state = ButtonState(
            facts: ButtonFacts(info),
            connected: info.isReady,
            lastPress: lastPresses[id].map { $0.formatted(Date.ISO8601FormatStyle()) },
            published: publication
        )
        tell(topics.state(of: id), MQTTPayload.json(state, isSnakeCase: false))
    }

    private func announceBridge() {
        let id = BridgeTopics.bridge
        let publication = publication([])
        var device = DeviceSettings(id: id)
        device.name = "Flic bridge"
        device.model = origin.name
        device.swVersion = origin.swVersion
        let entities = Component.ofBridge.map { ($0, $0.settings(of: id, topics, [])) }
        announce(id, publication, SharedSettings(device: device, origin: origin), Dictionary(uniqueKeysWithValues: entities))
        tell(topics.availability(of: id), Availability.online)
        tell(topics.state(of: id), MQTTPayload.json(BridgeState(bluetooth: bluetooth.name, published: publication), isSnakeCase: false))
    }

    /// Tells Home Assistant of a device. By which topics it was known before and is not any more is removed first: it takes an entity from one place only.
    private func announce(_ id: String, _ publication: Publication, _ shared: SharedSettings, _ entities: [Component: EntitySettings]) {
        let before = published[id]
        published[id] = publication
        if let before { clear(before.topics(of: id).subtracting(publication.topics(of: id))) }
        switch publication.discovery {
        case .none: return
        case .device: tell(publication.deviceTopic(of: id), MQTTPayload.json(DeviceDiscovery(shared: shared, entities: entities), isSnakeCase: true))
        case .entity:
            for (component, settings) in entities.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                tell(publication.topic(of: id, component), MQTTPayload.json(EntityDiscovery(shared: shared, settings: settings), isSnakeCase: true))
            }
        }
        for gesture in publication.gestures {
            if let before, before.hasTrigger(gesture), before.discoveryPrefix == publication.discoveryPrefix { continue }
            let trigger = DeviceTrigger(gesture, of: id, topics, origin: origin)
            tell(publication.triggerTopic(of: id, gesture), MQTTPayload.json(trigger, isSnakeCase: true))
        }
    }

    /// The broker has something of an earlier connection.
    func supersede(_ id: String, _ before: Publication) {
        guard isAnnounced, let publication = published[id] else {
            published[id] = before
            return
        }
        clear(before.topics(of: id).subtracting(publication.topics(of: id)))
    }

    private func publication(_ gestures: [Gesture]) -> Publication {
        Publication(bridge: clientID, discovery: configuration.discovery, discoveryPrefix: configuration.discoveryPrefix, gestures: gestures)
    }

    /// A button that sleeps can be used; one whose pairing is void, or that no radio can reach, cannot.
    private func isUsable(_ info: ButtonInfo) -> Bool { !info.isUnpaired && bluetooth == .poweredOn }

    private func device(_ info: ButtonInfo) -> DeviceSettings {
        var device = DeviceSettings(id: info.uuid)
        device.connections = [["mac", info.address.description.lowercased()]]
        device.name = info.title
        device.manufacturer = "Shortcut Labs"
        device.model = info.product.name
        device.serialNumber = info.serialNumber
        device.swVersion = info.firmwareVersion == 0 ? nil : "\(info.firmwareVersion)"
        device.viaDevice = "flickit_\(BridgeTopics.bridge)"
        device.suggestedArea = suggestedArea(info)
        return device
    }

    private func suggestedArea(_ info: ButtonInfo) -> String? {
        let names = [info.nickname, info.serialNumber, info.uuid, info.identifier.uuidString].compactMap { $0?.lowercased() }
        return configuration.suggestedAreas.first { names.contains($0.key.lowercased()) }?.value
    }

    func isTrigger(_ topic: String) -> Bool { topic.hasPrefix("\(configuration.discoveryPrefix)/device_automation/") }

    // MARK: Removing

    /// Removes everything that is retained of a button or of the bridge. Its state goes last: as long as it is there, what was not removed can be found.
    func remove(_ id: String) {
        clear(published[id]?.topics(of: id) ?? [])
        published[id] = nil
        clear([topics.availability(of: id)])
        clear([topics.state(of: id)])
    }

    /// Removes everything that this bridge has published.
    func removeEverything() {
        guard isAnnounced else {
            return remark(.problem, "\(configuration.host) cannot be reached: what was published there is not removed.")
        }
        for id in order + [BridgeTopics.bridge] { remove(id) }
        isAnnounced = false
    }

    private func clear(_ topics: Set<String>) {
        for topic in topics.sorted() {
            client?.publish(.retained(topic))
            told[topic] = nil
        }
    }

    // MARK: Telling

    func tell(_ topic: String, _ availability: Availability) { tell(topic, Array(availability.rawValue.utf8)) }

    private func tell(_ topic: String, _ payload: [UInt8]) {
        guard told[topic] != payload else { return }
        if client?.publish(.retained(topic, payload)) == true { told[topic] = payload }
    }
}
