import FlicProtocol
import FlicSimulator
import Testing

/// Button events, live and queued (protocol 7, 10.2).
@Suite struct EventQueueTests {
    @Test("Live events reach every client that has asked for events, one in each notification")
    func live() {
        var bench = Bench.running(clients: 2)
        bench.clients.append(ScriptedClient(3))
        bench.pair(2)
        bench.click()
        bench.pass(.seconds(1))
        for index in 0...1 {
            #expect(bench.codes(index) == [1, 8, 2])
            #expect(bench.clients[index].packets(ButtonEventNotification.self).map(\.eventCount) == [1, 3, 4])
            #expect(bench.items(index).allSatisfy { !$0.wasQueued && !$0.wasQueuedLast })
        }
        #expect(bench.codes(2).isEmpty)
    }

    /// Three clicks while nobody listens, each ten seconds after the one before, then a client that wants them.
    private func missed(_ settings: ButtonSettings = ButtonSettings(), count: UInt32, sameBoot: Bool, limit: UInt8, age: UInt32) -> Bench {
        var bench = Bench.paired(settings: settings)
        bench.disconnect(.lost)
        for _ in 1...3 {
            bench.click()
            bench.pass(.seconds(10))
        }
        bench.connect()
        bench.reconnect()
        bench.initialize(count: count, bootID: sameBoot ? bench.firmware.bootID : 7, limit: limit, age: age)
        return bench
    }

    @Test(
        "A client gets what is newer than its count, within its limits",
        arguments: [
            // count, same boot, number, age in seconds, counters
            (UInt32(0), true, UInt8(31), UInt32(0xFFFFF), [1, 3, 4, 5, 7, 8, 9, 11, 12]),
            (4, true, 31, 0xFFFFF, [5, 7, 8, 9, 11, 12]),
            (11, true, 31, 0xFFFFF, [12]),
            (12, true, 31, 0xFFFFF, []),
            (12, false, 31, 0xFFFFF, [1, 3, 4, 5, 7, 8, 9, 11, 12]),
            (0, true, 4, 0xFFFFF, [8, 9, 11, 12]),
            (0, true, 0, 0xFFFFF, []),
            (0, true, 31, 15, [9, 11, 12]),
            (0, false, 1, 15, [12]),
            (0, true, 31, 0, []),
        ]
    )
    func limits(count: UInt32, sameBoot: Bool, limit: UInt8, age: UInt32, expected: [UInt32]) {
        let bench = missed(count: count, sameBoot: sameBoot, limit: limit, age: age)
        let items = bench.items()
        let records = bench.firmware.log.records
        #expect(items.map { item in records.first { $0.time == item.timestamp }?.counter } == expected)
        #expect(items.allSatisfy(\.wasQueued) && items.map(\.wasQueuedLast) == items.indices.map { $0 == items.count - 1 })
        let answers = bench.clients[0].packets(InitButtonEventsResponseWithoutBootId.self)
        let others = bench.clients[0].packets(InitButtonEventsResponseWithBootId.self)
        #expect(answers.count == (sameBoot ? 1 : 0) && others.map(\.bootID) == (sameBoot ? [] : [bench.firmware.bootID]))
        #expect(answers.map(\.hasQueuedEvents) + others.map(\.hasQueuedEvents) == [!expected.isEmpty])
        let now = expected.isEmpty ? 12 : sameBoot ? count : 0
        #expect(answers.map(\.eventCount) + others.map(\.eventCount) == [now])
    }

    @Test("The answer counts the queue if the button is one of those that do so")
    func countsQueue() {
        var settings = ButtonSettings()
        settings.countsQueueInAnswer = true
        let bench = missed(settings, count: 4, sameBoot: true, limit: 31, age: 0xFFFFF)
        #expect(bench.clients[0].packets(InitButtonEventsResponseWithoutBootId.self).map(\.eventCount) == [12])
    }

    @Test(
        "Queued events share notifications up to the button's size",
        arguments: [(1, [1, 1, 1, 1, 1, 1, 1, 1, 1]), (4, [4, 4, 1]), (16, [9]), (99, [9])]
    )
    func notificationSize(size: Int, expected: [Int]) {
        var settings = ButtonSettings()
        settings.eventsPerNotification = size
        let bench = missed(settings, count: 0, sameBoot: true, limit: 31, age: 0xFFFFF)
        let packets = bench.clients[0].packets(ButtonEventNotification.self)
        #expect(packets.map(\.items.count) == expected && packets.last?.eventCount == 12)
    }

    @Test("At the smallest MTU a long notification comes in pieces and is the same")
    func smallestMTU() {
        var bench = missed(count: 0, sameBoot: true, limit: 31, age: 0xFFFFF)
        let whole = bench.items()
        bench.disconnect(.lost)
        bench.connect(mtu: 23)
        bench.reconnect()
        bench.initialize(bootID: bench.firmware.bootID, limit: 31)
        #expect(bench.items() == whole && whole.count == 9)
    }

    @Test("Events between verification and the first request are queued")
    func duringStart() {
        var bench = Bench.paired()
        bench.click()
        bench.pass(.seconds(1))
        #expect(bench.codes().isEmpty)
        bench.initialize(bootID: bench.firmware.bootID, limit: 31)
        #expect(bench.codes() == [1, 8, 2] && bench.items().allSatisfy(\.wasQueued))
    }

    @Test("A press that began before the link was lost ends in the queue of the next session")
    func interrupted() {
        var bench = Bench.running()
        bench { $0.press(at: $1) }
        let seen = bench.clients[0].packets(ButtonEventNotification.self).last?.eventCount
        bench.disconnect(.lost)
        bench.pass(.milliseconds(200))
        bench { $0.release(at: $1) }
        bench.connect()
        bench.reconnect()
        bench.initialize(count: seen ?? 99, bootID: bench.firmware.bootID, limit: 31)
        bench.pass(.seconds(1))
        #expect(bench.codes() == [8, 2] && bench.items().map(\.wasQueued) == [true, false])
    }

    @Test("The oldest events are displaced when the button's memory is full")
    func memory() {
        var settings = ButtonSettings()
        settings.eventLimit = 4
        let bench = missed(settings, count: 0, sameBoot: true, limit: 31, age: 0xFFFFF)
        #expect(bench.codes() == [2, 1, 8, 2])
    }

    @Test("A release at the very moment of the hold is a click, a press at the very end of the window a double click")
    func ties() {
        var bench = Bench.running()
        bench.click(.seconds(1))
        bench.pass(.seconds(1))
        #expect(bench.codes() == [1, 10])
        bench.click(.milliseconds(250))
        bench.pass(.milliseconds(250))
        bench.click()
        bench.pass(.seconds(2))
        #expect(bench.codes() == [1, 10, 1, 8, 1, 11])
    }
}
