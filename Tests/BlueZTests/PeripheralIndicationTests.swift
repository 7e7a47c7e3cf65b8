import EventLoops
import Testing

@testable import BlueZ

@Suite("Who has subscribed, and which updates wait (contract D95)")
struct PeripheralIndicationTests {
    private static func served(_ devices: String..., onlyIndicates: Bool = true) -> ServedCharacteristic {
        var served = ServedCharacteristic(path: "/a", onlyIndicates: onlyIndicates)
        for device in devices { _ = served.subscribe(device, mtu: 23) }
        return served
    }

    /// Gives values to a characteristic; which of them go at once.
    private static func admitted(_ values: [[UInt8]], by served: inout ServedCharacteristic) -> [[UInt8]] {
        values.filter { value in
            let goes = served.admits(value)
            if goes { served.sent(ScheduledWork {}) }
            return goes
        }
    }

    /// An update that waited goes out.
    private static func next(_ value: [UInt8]?, of served: inout ServedCharacteristic) -> [UInt8]? {
        if value != nil { served.sent(ScheduledWork {}) }
        return value
    }

    private static func acknowledge(_ served: inout ServedCharacteristic) -> [UInt8]? { next(served.acknowledged(), of: &served) }

    @Test("Indications go one by one, and for nobody when nobody is left")
    func indications() {
        var served = Self.served("A")
        #expect(Self.admitted([[1], [2], [3]], by: &served) == [[1]])
        #expect(Self.acknowledge(&served) == [2])
        #expect(Self.acknowledge(&served) == [3])
        #expect(Self.acknowledge(&served) == nil)
        #expect(Self.admitted([[4], [5]], by: &served) == [[4]])
        served.unsubscribeAll()
        #expect(served.held == [])
        #expect(Self.acknowledge(&served) == nil)
        #expect(Self.admitted([[6]], by: &served) == [[6]])
    }

    @Test("Where nobody is known to have subscribed no acknowledgement is hoped for")
    func nobodyKnown() {
        var served = ServedCharacteristic(path: "/a", onlyIndicates: true)
        let goes = [served.admits([1]), served.admits([2])]
        #expect(goes == [true, true])
    }

    @Test("Notifications never wait")
    func notifications() {
        var served = Self.served("A", onlyIndicates: false)
        let goes = [served.admits([1]), served.admits([2])]
        #expect(goes == [true, true])
    }

    @Test("All who have subscribed have to acknowledge")
    func everybody() {
        var served = Self.served("A", "B", "C")
        #expect(Self.admitted([[1], [2], [3]], by: &served) == [[1]])
        for expected in [nil, nil, [2], nil, nil, [3]] as [[UInt8]?] { #expect(Self.acknowledge(&served) == expected) }
    }

    @Test("Who did not acknowledge in time is not counted on, until an acknowledgement too many comes")
    func silent() {
        var served = Self.served("A", "B")
        #expect(Self.admitted([[1], [2], [3], [4]], by: &served) == [[1]])
        #expect(Self.acknowledge(&served) == nil)
        var given = served.gaveUp()
        #expect(Self.next(given, of: &served) == [2])
        #expect(Self.acknowledge(&served) == [3])
        #expect(Self.acknowledge(&served) == [4])
        #expect(Self.acknowledge(&served) == nil)
        #expect(Self.acknowledge(&served) == nil, "this one is too many: it was silent no longer")
        #expect(Self.admitted([[5], [6]], by: &served) == [[5]])
        #expect(Self.acknowledge(&served) == nil)
        #expect(Self.acknowledge(&served) == [6])
        // If nobody is counted on, one is: the time has to be over each time.
        for _ in 0..<3 {
            given = served.gaveUp()
            #expect(given == nil)
            #expect(Self.admitted([[7], [8]], by: &served) == [[7]])
            given = served.gaveUp()
            #expect(Self.next(given, of: &served) == [8])
        }
    }

    @Test("One that leaves is waited for no longer")
    func leaving() {
        var served = Self.served("A", "B")
        #expect(Self.admitted([[1], [2], [3]], by: &served) == [[1]])
        #expect(Self.acknowledge(&served) == nil)
        var next = served.left("B", isBonded: false)
        #expect(Self.next(next, of: &served) == [2])
        #expect(Self.acknowledge(&served) == [3])
        next = served.left("A", isBonded: true)
        #expect(next == nil)
        #expect(Self.admitted([[4], [5]], by: &served) == [[4], [5]], "for nobody")
    }

    @Test("A bonded central that is away comes back as a subscriber, unless it is bonded no longer, or forgotten")
    func absence() {
        var served = Self.served("A", "B", "C", "D")
        for device in ["A", "B", "C"] { _ = served.left(device, isBonded: true) }
        _ = served.left("D", isBonded: false)
        #expect(served.subscribers == [:])
        served.forget("C")
        let returned = ["A", "B", "C", "D", "A"].map { served.returned($0, isBonded: $0 != "B") }
        #expect(returned == [23, nil, nil, nil, nil])
        #expect(served.subscribers == ["A": 23] && served.absent == [:])
        _ = served.left("A", isBonded: true)
        served.unsubscribeAll()
        #expect(served.absent == [:])
    }

    @Test("More centrals than there can be are not remembered")
    func limit() {
        var served = ServedCharacteristic(path: "/a", onlyIndicates: true)
        let taken = (0..<300).count { served.subscribe("\($0)", mtu: 23) }
        #expect(taken == ServedCharacteristic.limit)
        let again = served.subscribe("0", mtu: 185)
        #expect(again)
        #expect(served.subscribers["0"] == 185)
    }
}
