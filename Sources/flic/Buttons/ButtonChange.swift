import FlicBridge

/// Something about a paired button that can be changed without it: what it has to know it hears with the next connection.
enum ButtonChange: Equatable {
    /// The nickname; "" for none.
    case rename(String)
    case mode(ClickRules)
    case latency(LatencyMode)
    case queue(QueuePolicy)

    /// What a daemon is asked for.
    func request(_ button: String) -> BridgeRequest {
        switch self {
        case .rename(let name):
            var request = BridgeRequest(.rename, button: button)
            request.name = name
            return request
        case .mode(let rules):
            var request = BridgeRequest(.mode, button: button)
            request.mode = rules.mode.name
            if rules.limits != nil {
                request.doubleClickTime = rules.doubleClickTime
                request.holdTime = rules.holdTime
                request.tripleClick = rules.tripleClick
            }
            return request
        case .latency(let mode):
            var request = BridgeRequest(.latency, button: button)
            request.latency = mode.rawValue
            return request
        case .queue(let policy):
            var request = BridgeRequest(.queue, button: button)
            request.policy = policy.description
            return request
        }
    }

    func apply(to button: FlicButton) async {
        switch self {
        case .rename(let name): await button.setNickname(name.isEmpty ? nil : name)
        case .mode(let rules): await button.setClickRules(rules)
        case .latency(let mode): await button.setLatency(mode)
        case .queue(let policy): await button.setQueuePolicy(policy)
        }
    }
}
