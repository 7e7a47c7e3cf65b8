import FlicProtocol
import Testing

/// What the vectors do not say about the packets of the Twist (protocol 14.2).
@Suite("Twist packets")
struct TwistPacketTests {
    @Test("A renumbered packet has the fields of the Flic 2's under its own opcode")
    func renumbered() {
        var request = Twist.SetNameRequest()
        request.name = [0x41]
        request.forceUpdate = true
        #expect(request.layout.name == [0x41])
        #expect(request.body == [9] + request.layout.body.dropFirst())
        #expect(request == Twist.SetNameRequest(request.layout))
    }

    @Test("Event items have seven bytes as on the Flic 2, or eight under API version 2")
    func eventItems() {
        var notification = Twist.ButtonEventNotificationV2()
        notification.items = [1, 2, 0, 0, 0, 0, 0b1111_0101, 0b1100_1010, 9]
        let items = notification.events(Twist.EventItem.self)
        #expect(items.count == 1)
        #expect(items.first?.timestamp == 0x201)
        #expect(items.first?.code == 5)
        #expect(items.first?.wasQueued == true)
        #expect(items.first?.wasQueuedLast == true)
        #expect(items.first?.modeIndex == 11)
        #expect(items.first?.reserved == 0b11_0010)
        let shortItems = notification.events(FlicProtocol.EventItem.self)
        #expect(shortItems.map(\.timestamp) == [0x201])
        #expect(shortItems.map(\.eventCode) == [EventCode(5)])
    }

    @Test("A configuration has thirteen states, however many are given", arguments: [0, 1, 13, 14])
    func states(_ count: Int) {
        var request = Twist.ChangeConfigRequest()
        var state = Twist.State()
        state.position = 0xABCD
        request.configuration.states = [Twist.State](repeating: state, count: count)
        let body = request.body
        #expect(body.count == 66)
        let decoded = Twist.ChangeConfigRequest(body: body.span)
        #expect(decoded?.configuration.states.map(\.position) == (0..<13).map { $0 < count ? 0xABCD : 0 })
    }
}
