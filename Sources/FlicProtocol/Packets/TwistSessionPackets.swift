// Packets of a session that only the Flic Twist has, or that differ from those of the Flic 2 (protocol 14.2).

extension Twist {
    /// Proof of the session key, and who the Twist is; the color is always there.
    package struct FullVerifyResponse2: Packet {
        package static let opcode: UInt8 = 1
        package static let direction = Direction.fromButton
        package static let signing = Signing.always

        package var appCredentialsMatch = false
        package var caresAboutAppCredentials = false
        package var reserved: UInt8 = 0
        package var uuid: [UInt8] = []
        package var nameLength: UInt8 = 0
        package var name: [UInt8] = []
        package var firmwareVersion: UInt32 = 0
        package var batteryLevel: UInt16 = 0
        package var serialNumber: [UInt8] = []
        package var color: [UInt8] = []

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.flag("app_credentials_match", &appCredentialsMatch)
            coder.flag("cares_about_app_credentials", &caresAboutAppCredentials)
            coder.integer("rfu", &reserved, bits: 6)
            coder.bytes("button_uuid", &uuid, count: 16)
            coder.integer("name_len", &nameLength, bits: 8)
            coder.bytes("name", &name, count: 23)
            coder.integer("firmware_version", &firmwareVersion, bits: 32)
            coder.integer("battery_level", &batteryLevel, bits: 16)
            coder.bytes("serial_number", &serialNumber, count: 11)
            coder.bytes("color", &color, count: 16)
        }
    }

    /// First packet of every session: where to resume, and the whole configuration.
    package struct InitButtonEventsRequest: Packet {
        package static let opcode: UInt8 = 12
        package static let direction = Direction.toButton
        package static let signing = Signing.always

        package var eventCount: UInt32 = 0
        package var configuration = Configuration()
        package var bootID: UInt32 = 0
        /// 2 makes the button send ``Twist/EventItem``s.
        package var apiVersion: UInt8?

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("event_count", &eventCount, bits: 32)
            configuration.code(&coder)
            coder.integer("boot_id", &bootID, bits: 32)
            coder.optionalInteger("api_version", &apiVersion, bits: 8)
        }
    }

    /// Answer to the start-up.
    package struct InitButtonEventsResponse: Packet {
        package static let opcode: UInt8 = 8
        package static let direction = Direction.fromButton
        package static let signing = Signing.always

        package var hasQueuedEvents = false
        package var timestamp: UInt64 = 0
        package var eventCount: UInt32 = 0
        package var bootID: UInt32 = 0
        package var apiVersion: UInt8?

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.flag("has_queued_events", &hasQueuedEvents)
            coder.integer("timestamp", &timestamp, bits: 47)
            coder.integer("event_count", &eventCount, bits: 32)
            coder.integer("boot_id", &bootID, bits: 32)
            coder.optionalInteger("api_version", &apiVersion, bits: 8)
        }
    }

    /// One or more button events, oldest first; the count is that of the last one.
    package struct ButtonEventNotificationV2: Packet {
        package static let opcode: UInt8 = 9
        package static let direction = Direction.fromButton
        package static let signing = Signing.always

        package var eventCount: UInt32 = 0
        /// Seven or eight bytes for each event, as the start-up has agreed.
        package var items: [UInt8] = []

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("event_count", &eventCount, bits: 32)
            coder.rest("items", &items)
        }

        /// The events; items have eight bytes if both sides have named API version 2.
        package func events<Item: FieldGroup>(_ type: Item.Type = EventItem.self) -> [Item] {
            var reader = FieldReader(bytes: items, from: 0)
            var events: [Item] = []
            reader.list("items", &events)
            return events
        }
    }

    /// A rotation since the last notification: 49152 is a turn (protocol 14.3).
    package struct TwistEventNotification: Packet {
        package static let opcode: UInt8 = 10
        package static let direction = Direction.fromButton
        package static let signing = Signing.always

        package var twistModeIndex: UInt8 = 0
        package var lastUpdateWasTop = false
        package var hubUpdateWasTooOld = false
        package var reserved: UInt8 = 0
        package var totalDelta: Int32 = 0
        package var minimumDelta: Int32 = 0
        package var maximumDelta: Int32 = 0
        package var lastKnownHubPacketCounter: UInt16 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("twist_mode_index", &twistModeIndex, bits: 4)
            coder.flag("last_min_update_was_top", &lastUpdateWasTop)
            coder.flag("last_hub_update_packet_too_old", &hubUpdateWasTooOld)
            coder.integer("rfu", &reserved, bits: 2)
            coder.integer("total_delta", &totalDelta, bits: 24)
            coder.integer("min_delta", &minimumDelta, bits: 24)
            coder.integer("max_delta", &maximumDelta, bits: 24)
            coder.integer("last_known_hub_packet_counter", &lastKnownHubPacketCounter, bits: 16)
        }
    }

    /// Moves the window of the position of a mode (protocol 14.3).
    package struct UpdateTwistPosInd: Packet {
        package static let opcode: UInt8 = 14
        package static let direction = Direction.toButton
        package static let signing = Signing.always

        package var twistModeIndex: UInt8 = 0
        package var newMinimum: Int64 = 0
        package var receivedUpdates: UInt32 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("twist_mode_index", &twistModeIndex, bits: 8)
            coder.integer("new_min", &newMinimum, bits: 48)
            coder.integer("num_received_updates", &receivedUpdates, bits: 32)
        }
    }

    /// Asks the Twist to close the link; always signed.
    package struct ForceBtDisconnectInd: Packet {
        package static let opcode: UInt8 = 6
        package static let direction = Direction.toButton
        package static let signing = Signing.always

        package var restartAdv: UInt8 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("restart_adv", &restartAdv, bits: 8)
        }
    }

    /// How the Twist advertises after a lost link.
    package struct SetAdvParametersRequest: Packet {
        package static let opcode: UInt8 = 21
        package static let direction = Direction.toButton
        package static let signing = Signing.always

        package var isActive: UInt8 = 0
        package var removesOtherSettings: UInt8 = 0
        package var withShortRange: UInt8 = 0
        package var withLongRange: UInt8 = 0
        package var firstInterval: UInt16 = 0
        package var laterInterval: UInt16 = 0
        package var timeoutSeconds: UInt32 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("is_active", &isActive, bits: 8)
            coder.integer("remove_other_pairings_adv_settings", &removesOtherSettings, bits: 8)
            coder.integer("with_short_range", &withShortRange, bits: 8)
            coder.integer("with_long_range", &withLongRange, bits: 8)
            coder.integer("adv_interval_first", &firstInterval, bits: 16)
            coder.integer("adv_interval_then", &laterInterval, bits: 16)
            coder.integer("timeout_seconds", &timeoutSeconds, bits: 32)
        }
    }
}
