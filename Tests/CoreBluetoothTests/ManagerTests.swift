import Testing

@testable import CoreBluetooth

@Suite("What managers have in common")
struct ManagerTests {
    /// The authorization itself is the process's, and other tests change it.
    @Test("D2: authorization is denied once the system has refused, and allowed again once it answers")
    func authorization() {
        var authorization = CBManagerAuthorization.allowedAlways
        for (state, expected) in [
            (.unknown, .allowedAlways), (.unauthorized, .denied), (.unknown, .denied), (.resetting, .denied), (.poweredOff, .allowedAlways),
            (.unauthorized, .denied), (.poweredOn, .allowedAlways), (.unauthorized, .denied), (.unsupported, .allowedAlways),
        ] as [(CBManagerState, CBManagerAuthorization)] {
            authorization = authorization.after(state)
            #expect(authorization == expected)
        }
    }

    @Test("D3: a manager has the state it was given")
    func state() {
        let manager = CBManager(state: .unknown)
        #expect(manager.state == .unknown)
        manager.learn(.poweredOff)
        #expect(manager.state == .poweredOff)
        #expect([.allowedAlways, .denied].contains(manager.authorization))
    }
}
