import ClickClassifier
import Foundation
import Testing

@testable import FlicClient

@Suite("Settings and battery in the store (contract A40, A41)")
struct StoredSettingsTests {
    @Test(
        "Everything comes back",
        arguments: [nil, ReadvertisingMode.sparing, .off, .custom(first: .milliseconds(20), later: .seconds(1), duration: .seconds(1))],
        [nil, AutoDisconnectTime(nil), AutoDisconnectTime(.seconds(40))]
    )
    func roundTrip(mode: ReadvertisingMode?, time: AutoDisconnectTime?) async throws {
        var record = try await Self.record()
        record.isBatteryLow = true
        record.readvertising = mode
        record.configuredReadvertising = mode ?? .eager
        record.autoDisconnectTime = time
        #expect(try StoredButtons.records(in: Data(StoredButtons.bytes(of: [record], sequence: 1))).records == [record])
    }

    @Test(
        "How presses become clicks, and how fast they arrive",
        arguments: [nil, .custom(.clickAndHold, limits: .init()), Self.triple] + TriggerMode.allCases.map { ClickRules.standard($0) as ClickRules? },
        [nil, LatencyMode.normal, .low]
    )
    func clicks(rules: ClickRules?, latency: LatencyMode?) async throws {
        var record = try await Self.record()
        record.clickRules = rules
        record.latency = latency
        #expect(try StoredButtons.records(in: Data(StoredButtons.bytes(of: [record], sequence: 1))).records == [record])
    }

    private static let triple = ClickRules.custom(
        .clickAndDoubleClickAndHold,
        limits: .init(doubleClick: 20_000, hold: ClickClassifier.Limits.range.upperBound, tripleClick: true)
    )

    @Test("An older file has none of it: the manager's settings, and low if the sample says so", arguments: [(753, true), (754, false)])
    func oldFile(raw: UInt16, isLow: Bool) async throws {
        var record = try await Self.record()
        record.batteryLevel = raw
        record.readvertising = .eager
        record.autoDisconnectTime = AutoDisconnectTime(.seconds(60))
        record.clickRules = .custom(.click, limits: .init(hold: 40_000))
        record.latency = .low
        let old = try Self.stored(record) { members in
            for name in ["isBatteryLow", "readvertising", "configuredReadvertising", "autoDisconnectTime", "clickLimits", "latency"] {
                #expect(members.removeValue(forKey: name) != nil)
            }
        }
        #expect(old.isBatteryLow == isLow && old.readvertising == nil && old.autoDisconnectTime == nil)
        #expect(old.clickRules == .standard(.click) && old.latency == nil)
        #expect(old.configuredReadvertising == .sparing && old.isAdvertisingConfigured == record.isAdvertisingConfigured)
    }

    @Test(
        "A time that no button has becomes the nearest one",
        arguments: [(Int.min, 40), (0, 40), (39, 40), (40, 40), (510, 510), (511, 511), (512, 511), (.max, 511)] as [(Int, UInt16)]
    )
    func hostileTime(seconds: Int, expected: UInt16) async throws {
        let record = try Self.stored(try await Self.record()) { $0["autoDisconnectTime"] = seconds }
        #expect(record.autoDisconnectTime?.seconds == expected)
    }

    @Test(
        "Intervals that no button has become the nearest ones",
        arguments: [(Int.min, 32), (31, 32), (32, 32), (16_384, 16_384), (16_385, 16_384), (.max, 16_384)]
    )
    func hostileIntervals(units: Int, expected: Int) async throws {
        let record = try Self.stored(try await Self.record()) {
            $0["readvertising"] = ["isActive": true, "firstInterval": units, "laterInterval": units, "seconds": units] as [String: Any]
        }
        let mode = try #require(record.readvertising)
        let unit = Duration.microseconds(625)
        #expect(mode.firstInterval == unit * expected && mode.laterInterval == unit * expected)
        #expect(mode.duration == .seconds(min(max(units, 1), Int(UInt32.max))))
    }

    @Test(
        "Limits that there cannot be become the nearest ones",
        arguments: [(Int.min, 3_277), (-1, 3_277), (3_276, 3_277), (327_680, 327_680), (327_681, 327_680), (.max, 327_680)] as [(Int, UInt64)]
    )
    func hostileLimits(ticks: Int, expected: UInt64) async throws {
        let record = try Self.stored(try await Self.record()) {
            $0["triggerMode"] = 2
            $0["clickLimits"] = ["doubleClick": ticks, "hold": ticks, "tripleClick": true] as [String: Any]
        }
        let limits = ClickClassifier.Limits(doubleClick: expected, hold: expected, tripleClick: true)
        #expect(limits.doubleClick == expected && record.clickRules == .custom(.clickAndDoubleClickAndHold, limits: limits))
    }

    @Test("A Flic 2 has one counter, whatever is stored", arguments: [("duo", 3), ("flic2", 0), ("twist", 0)])
    func smallCounter(product: String, count: Int) async throws {
        let record = try Self.stored(try await Self.record()) { ($0["product"], $0["smallEventCount"]) = (product, 3) }
        #expect(record.smallEventCount == UInt32(count))
    }

    @Test("A mode that there is not is the first one; a latency that there is not is the manager's", arguments: [-1, 4, Int.max])
    func hostileModes(mode: Int) async throws {
        let record = try Self.stored(try await Self.record()) {
            $0["triggerMode"] = mode
            $0["latency"] = "\(mode)"
        }
        #expect(record.clickRules == .standard(.clickAndHold) && record.latency == nil)
    }

    @Test("The time of a sample can be written as a date, whatever is stored")
    func hostileBatteryTime() async throws {
        let record = try Self.stored(try await Self.record()) { $0["batteryTime"] = UInt64.max }
        #expect(record.battery?.date.formatted(.iso8601) == "9999-12-31T23:59:59Z")
    }

    /// A record as a real pairing makes it.
    private static func record() async throws -> ButtonRecord {
        try await Scene.run { scene in
            _ = try await scene.pair()
            await scene.pass(.seconds(1))
            return try #require(scene.store.contents.first)
        }
    }

    /// The record as it comes from a file in which something has been changed.
    private static func stored(_ record: ButtonRecord, change: (inout [String: Any]) -> Void) throws -> ButtonRecord {
        let file = try JSONSerialization.jsonObject(with: Data(StoredButtons.bytes(of: [record], sequence: 1)))
        var contents = try #require(file as? [String: Any])
        var buttons = try #require(contents["buttons"] as? [[String: Any]])
        change(&buttons[0])
        contents["buttons"] = buttons
        return try #require(try StoredButtons.records(in: try JSONSerialization.data(withJSONObject: contents)).records.first)
    }
}
