extension Twist {
    /// How the knob behaves in one of its modes (protocol 14.2).
    package struct State: FieldGroup, Hashable {
        package static let byteCount = 5

        /// 0 none, 1 fill, 2 point, 3 single.
        package var ledMode: UInt8 = 0
        package var hasClick = false
        package var hasDoubleClick = false
        /// So many positions that follow share this state.
        package var extraLedsAfter: UInt8 = 0
        package var reserved: UInt8 = 0
        /// 0 to 49152, a whole turn.
        package var position: UInt16 = 0
        /// 255 is never.
        package var timeoutSeconds: UInt8 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("led_mode", &ledMode, bits: 6)
            coder.flag("has_click", &hasClick)
            coder.flag("has_double_click", &hasDoubleClick)
            coder.integer("extra_leds_after", &extraLedsAfter, bits: 4)
            coder.integer("rfu", &reserved, bits: 4)
            coder.integer("position", &position, bits: 16)
            coder.integer("timeout_seconds", &timeoutSeconds, bits: 8)
        }
    }

    /// Thirteen states: 0 is the default mode, 1 to 11 are the positions of the selector, 12 is push-and-twist.
    package struct Configuration: Hashable, Sendable {
        package static let count = 13

        /// Missing states are sent as zeros, further ones are not sent.
        package var states = [State](repeating: State(), count: count)

        package init() {}

        /// A state; zeros where it is missing.
        package subscript(index: Int) -> State {
            get { states.indices.contains(index) ? states[index] : State() }
            set {
                while states.count <= index, states.count < Self.count { states.append(State()) }
                if states.indices.contains(index) { states[index] = newValue }
            }
        }

        package mutating func code(_ coder: inout some FieldCoder) {
            states = (0..<Self.count).map { index in
                var state = self[index]
                state.code(&coder)
                return state
            }
        }
    }

    /// One button event of a ``ButtonEventNotificationV2`` under API version 2; the codes differ from the Flic 2 (protocol 14.3).
    package struct EventItem: FieldGroup {
        package static let byteCount = 8

        /// Ticks of the button clock at the event, 48 bits.
        package var timestamp: UInt64 = 0
        /// Four bits.
        package var code: UInt8 = 0
        package var wasQueued = false
        package var wasQueuedLast = false
        /// The mode in which it happened, 0 to 12.
        package var modeIndex: UInt8 = 0
        package var reserved: UInt8 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("timestamp", &timestamp, bits: 48)
            coder.integer("event_encoded", &code, bits: 4)
            coder.flag("was_queued", &wasQueued)
            coder.flag("was_queued_last", &wasQueuedLast)
            coder.integer("twist_mode_index", &modeIndex, bits: 4)
            coder.integer("rfu", &reserved, bits: 6)
        }
    }
}
