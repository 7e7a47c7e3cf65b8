extension Twist.Configuration {
    /// What a Twist is told that nobody has said anything else about: the lights show how far it is turned, and presses are told as on a Flic 2. How the
    /// maker's apps set it up is not documented; this is our choice, the time of ten seconds included.
    package static let standard: Twist.Configuration = {
        var state = Twist.State()
        state.ledMode = 1
        state.hasClick = true
        state.hasDoubleClick = true
        state.timeoutSeconds = 10
        var configuration = Twist.Configuration()
        configuration.states = Array(repeating: state, count: count)
        return configuration
    }()
}
