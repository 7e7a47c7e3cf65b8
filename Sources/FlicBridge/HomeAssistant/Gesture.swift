import FlicClient

/// What is done with a button, in the words that MQTT has for it.
enum Gesture: String, Codable, CaseIterable, Sendable {
    case click
    case doubleClick = "double_click"
    case tripleClick = "triple_click"
    case hold
    case swipeLeft = "swipe_left"
    case swipeRight = "swipe_right"
    case swipeUp = "swipe_up"
    case swipeDown = "swipe_down"

    /// Nil for downs and ups, of which nothing is published.
    init?(_ kind: PressEvent.Kind) {
        switch kind {
        case .click: self = .click
        case .doubleClick: self = .doubleClick
        case .tripleClick: self = .tripleClick
        case .hold: self = .hold
        case .swipeLeft: self = .swipeLeft
        case .swipeRight: self = .swipeRight
        case .swipeUp: self = .swipeUp
        case .swipeDown: self = .swipeDown
        case .down, .up: return nil
        }
    }

    /// The type of a device trigger that Home Assistant has words for (device_trigger.mqtt).
    var triggerType: String {
        switch self {
        case .click: "button_short_press"
        case .doubleClick: "button_double_press"
        case .tripleClick: "button_triple_press"
        case .hold: "button_long_press"
        case .swipeLeft, .swipeRight, .swipeUp, .swipeDown: rawValue  // there is no word for these
        }
    }

    /// Those that there are with a device of this kind by these rules.
    static func all(of product: FlicProduct, by rules: ClickRules) -> [Gesture] {
        allCases.filter { gesture in
            switch gesture {
            case .click: true
            case .doubleClick: rules.mode.hasDoubleClick
            case .tripleClick: rules.mode.hasDoubleClick && rules.limits?.tripleClick == true
            case .hold: rules.mode.hasHold
            case .swipeLeft, .swipeRight, .swipeUp, .swipeDown: product == .duo
            }
        }
    }
}
