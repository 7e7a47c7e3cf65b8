import Testing

@testable import CoreBluetooth

@Suite("What managers have in common", .serialized)
struct ManagerTests {
    @Test("D2, D3: authorization is allowed from the first moment, denied once the system has refused, allowed again once it answers")
    func authorization() {
        #expect(CBManager.authorization == .allowedAlways)
        let manager = CBManager(state: .unknown)
        #expect(manager.state == .unknown && manager.authorization == .allowedAlways)
        for (state, authorization) in [
            (.unauthorized, .denied), (.unknown, .denied), (.resetting, .denied), (.poweredOff, .allowedAlways), (.unauthorized, .denied),
            (.poweredOn, .allowedAlways), (.unauthorized, .denied), (.unsupported, .allowedAlways),
        ] as [(CBManagerState, CBManagerAuthorization)] {
            manager.learn(state)
            #expect(manager.state == state)
            #expect(manager.authorization == authorization && CBManager.authorization == authorization)
            #expect(CBPeripheralManager.authorization == authorization)
        }
    }
}
