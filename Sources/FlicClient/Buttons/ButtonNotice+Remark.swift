extension ButtonNotice {
    /// What logs say of it; nil for presses, which are what programs are for, and for what the program has done itself.
    var remark: String? {
        switch self {
        case .press, .pressInMode, .turned, .queueFinished, .battery, .renamed: nil
        case .connected: "connected"
        case .ready: "ready"
        case .notReady(let problem): "verifying again: \(problem.rawValue)"
        case .disconnected(let error): "disconnected: \(error.map(\.description) ?? "as asked")"
        case .failedToConnect(let error): "will not be connected: \(error)"
        case .unpaired: "the pairing is void"
        }
    }
}
