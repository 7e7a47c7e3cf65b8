import Fixtures
import FlicProtocol
import Testing

@Suite("Values of a session: battery, presses, ages (protocol 7.3, 7.5, 9.2)")
struct SessionValueTests {
    static let levels = JSONValue.vectors("packets").battery.vectors

    @Test("No vector is lost")
    func counts() {
        #expect(Self.levels.count == 11)
    }

    @Test("11 raw levels are the right voltages", arguments: levels)
    func battery(_ vector: Vector) throws {
        let level = BatteryLevel(raw: try vector.integer("raw"))
        #expect(level.millivolts == Int(try vector.integer("millivolt_c") as UInt32))
        #expect(abs(level.volts - (try #require(vector.json.volt.double))) < 1e-9)
    }

    @Test("The largest raw level is a voltage, too")
    func largestBattery() {
        #expect(BatteryLevel(raw: .max).millivolts == 230_396)
    }

    @Test(
        "What is left: linear between the points, whole percent counted down from the upper one",
        arguments: [
            (0, 0), (2099, 0), (2100, 0), (2101, 1), (2270, 3), (2439, 6), (2440, 6), (2441, 7), (2590, 12), (2739, 18), (2740, 18), (2741, 19),
            (2820, 30), (2899, 42), (2900, 42), (2901, 43), (2950, 71), (2999, 100), (3000, 100), (3001, 100), (230_396, 100),
        ]
    )
    func percent(millivolts: Int, percent: Int) {
        #expect(BatteryLevel.estimatedPercent(millivolts: millivolts) == percent)
    }

    @Test("Of two samples the one with more volts has no fewer percent; 0 to 100, whatever the button says")
    func percentOfAll() {
        let estimates = (UInt16.min...UInt16.max).map { BatteryLevel(raw: $0).estimatedPercent }
        #expect(estimates == estimates.sorted() && estimates.first == 0 && estimates.last == 100)
        #expect([598, 694, 780, 825, 854].map { estimates[$0] } == [1, 6, 19, 42, 100])
    }

    @Test(
        "Each press owns four counters, beginning with that of its down",
        arguments: [(0, 0), (1, 1), (2, 1), (3, 1), (4, 1), (5, 2), (8, 2), (9, 3), (.max - 3, 0x3FFF_FFFF), (.max, 0x4000_0000)]
            as [(UInt32, UInt32)]
    )
    func pressCount(count: UInt32, presses: UInt32) {
        #expect(EventPosition(bootID: 1, eventCount: count).pressCount == presses)
    }

    @Test(
        "Ages are rounded to the nearest second, half a second up (contract B.6.6)",
        arguments: [(0, 0), (16_383, 0), (16_384, 1), (49_151, 1), (49_152, 2), (1 << 48 - 1, 1 << 33)] as [(UInt64, Int)]
    )
    func age(ticks: UInt64, seconds: Int) {
        #expect(ButtonEvent(code: EventCode(1), count: 1, timestamp: 0, wasQueued: true, ageTicks: ticks).ageSeconds == seconds)
    }
}
