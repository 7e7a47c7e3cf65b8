import EventLoops
import FoundationEssentials
import GATT
import Testing

@testable import FlicClient

@Suite("The plan for all buttons (contract B.6.4)")
struct PlannerTests {
    private static let ids = (0..<40).map { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8($0))) }
    private static func at(_ seconds: Double) -> Duration { .milliseconds(Int(seconds * 1000)) }

    /// A planner some of whose buttons wait since time zero, and some of which are up.
    private static func planner(waiting: Range<Int> = 0..<0, up: Range<Int> = 0..<0) -> ConnectionPlanner {
        var planner = ConnectionPlanner()
        for id in ids[waiting] { planner.note(id, .waiting, now: .zero) }
        for id in ids[up] { planner.note(id, .up, now: .zero) }
        return planner
    }

    private static func steps(_ planner: inout ConnectionPlanner, _ seconds: Double) -> [ConnectionPlanner.Step] {
        planner.steps(now: at(seconds), isIdle: { _ in true })
    }

    // MARK: Listening

    @Test("Nobody waits: no listening, and nothing to wait for")
    func idle() {
        var planner = Self.planner(up: 0..<3)
        #expect(planner.listening(now: .zero) == nil && planner.deadline(now: .zero) == nil && Self.steps(&planner, 0) == [])
        planner = ConnectionPlanner()
        #expect(planner.listening(now: .zero) == nil && planner.deadline(now: .zero) == nil)
    }

    @Test("Two minutes without a pause, then 4 s of rest before each 12 s; something new starts it over")
    func dutyCycle() {
        var planner = Self.planner(waiting: 0..<1)
        func windows(from: Int, to: Int) -> [Int] {
            // Where listening begins or ends, as found by following the deadlines alone.
            var edges: [Int] = []
            var now = Self.at(Double(from))
            var isListening = planner.listening(now: now) != nil
            while let next = planner.deadline(now: now), next <= Self.at(Double(to)) {
                now = next
                let listens = planner.listening(now: now) != nil
                if listens != isListening { edges.append(Int(now / .seconds(1))) }
                isListening = listens
            }
            return edges
        }
        #expect(planner.listening(now: .zero) != nil)
        #expect(windows(from: 0, to: 160) == [120, 124, 136, 140, 152, 156])
        planner.note(Self.ids[1], .waiting, now: .seconds(157))
        #expect(windows(from: 157, to: 300) == [277, 281, 293, 297])
        planner.adapterFound(now: .seconds(300))
        #expect(windows(from: 300, to: 421) == [420])
    }

    @Test("A rest is over before a pressed button leaves its fast advertising, whenever it was pressed")
    func rest() {
        let planner = Self.planner(waiting: 0..<1)
        for pressed in stride(from: 0.0, to: 3600, by: 0.37) {
            let heard = stride(from: pressed, to: pressed + 5, by: 0.1).first { planner.listening(now: Self.at($0)) != nil }
            #expect(heard.map { $0 - pressed < 4.2 } == true)
        }
    }

    @Test("After 15 s of waiting, or for want of room, all adapters listen")
    func reach() {
        var planner = Self.planner(waiting: 0..<1)
        #expect(planner.listening(now: Self.at(14.9)) == .chosen)
        #expect(planner.deadline(now: Self.at(1)) == .seconds(15))
        #expect(planner.listening(now: .seconds(15)) == .all)
        planner.note(Self.ids[0], .up, now: .seconds(16))
        planner.note(Self.ids[0], .waiting, now: .seconds(17))
        #expect(planner.listening(now: .seconds(18)) == .chosen)
        planner.refused(now: .seconds(18))
        #expect(planner.listening(now: .seconds(18)) == .all)
    }

    @Test("An attempt has the radio for itself, for 3 s")
    func quiet() {
        var planner = Self.planner(waiting: 0..<2)
        planner.note(Self.ids[0], .opening, now: .seconds(1))
        #expect(planner.listening(now: Self.at(3.9)) == nil)
        #expect(planner.deadline(now: .seconds(1)) == .seconds(4))
        #expect(planner.listening(now: .seconds(4)) == .chosen)
        planner.note(Self.ids[0], .up, now: Self.at(4.5))
        #expect(planner.listening(now: Self.at(4.5)) == .chosen)
    }

    @Test("An attempt that takes longer than that is helped by listening")
    func slow() {
        var planner = Self.planner(waiting: 0..<1)
        planner.note(Self.ids[0], .opening, now: .seconds(1))
        #expect(planner.listening(now: .seconds(2)) == nil && planner.deadline(now: .seconds(2)) == .seconds(4))
        #expect(planner.listening(now: .seconds(4)) == .chosen)
    }

    // MARK: Attempts

    @Test("Four attempts at a time, those first who were heard first; the next when one has ended")
    func attempts() {
        var planner = Self.planner(waiting: 0..<7)
        for (index, id) in Self.ids[0..<7].reversed().enumerated() { planner.heard(id, now: Self.at(Double(index) / 10)) }
        #expect(Self.steps(&planner, 1) == Self.ids[3..<7].reversed().map { .open($0) })
        for id in Self.ids[3..<7] { planner.note(id, .opening, now: .seconds(1)) }
        #expect(Self.steps(&planner, 1) == [])
        planner.note(Self.ids[5], .waiting, now: .seconds(2))
        #expect(Self.steps(&planner, 2) == [.open(Self.ids[2])])
    }

    @Test("One attempt per button; who was heard 12 s ago has to be heard again; who does not wait is not heard")
    func stale() {
        var planner = Self.planner(waiting: 0..<1, up: 1..<2)
        planner.heard(Self.ids[0], now: .zero)
        planner.heard(Self.ids[1], now: .zero)
        planner.heard(Self.ids[2], now: .zero)
        #expect(Self.steps(&planner, 12) == [.open(Self.ids[0])])
        #expect(Self.steps(&planner, 12.1) == [])
        planner.heard(Self.ids[0], now: .seconds(13))
        planner.note(Self.ids[0], .opening, now: .seconds(13))
        planner.heard(Self.ids[0], now: .seconds(13))
        #expect(Self.steps(&planner, 13) == [])
    }

    @Test("The adapter is off: nothing that was heard counts any more")
    func off() {
        var planner = Self.planner(waiting: 0..<1)
        planner.heard(Self.ids[0], now: .zero)
        planner.adapterLost()
        #expect(Self.steps(&planner, 0) == [])
    }

    @Test("A button that is gone is forgotten")
    func removed() {
        var planner = Self.planner(waiting: 0..<1)
        planner.heard(Self.ids[0], now: .zero)
        planner.remove(Self.ids[0])
        planner.remove(Self.ids[0])
        #expect(Self.steps(&planner, 0) == [] && !planner.isSeeking && planner.listening(now: .zero) == nil)
    }

    // MARK: Room

    @Test("The limit is learnt from a refusal and told once; who was idle longest makes room, one for each that was heard")
    func room() {
        var planner = Self.planner(waiting: 5..<9, up: 0..<5)
        planner.used(Self.ids[0], now: .seconds(9))
        planner.used(Self.ids[3], now: .seconds(1))
        planner.refused(now: .seconds(10))
        #expect(planner.connectionLimit == 5 && planner.isCrowded)
        planner.heard(Self.ids[5], now: .seconds(10))
        planner.heard(Self.ids[6], now: .seconds(10))
        #expect(Self.steps(&planner, 10) == [.tellLimit(5), .makeRoom(Self.ids[1]), .makeRoom(Self.ids[2])])
        planner.note(Self.ids[1], .closing, now: .seconds(10))
        planner.note(Self.ids[2], .closing, now: .seconds(10))
        #expect(Self.steps(&planner, 10) == [], "both are on their way")
        planner.note(Self.ids[2], .waiting, now: .seconds(12))
        #expect(Self.steps(&planner, 12) == [.open(Self.ids[5])])
        planner.note(Self.ids[5], .opening, now: .seconds(12))
        planner.note(Self.ids[1], .waiting, now: .seconds(12))
        #expect(Self.steps(&planner, 12) == [.open(Self.ids[6])])
    }

    @Test("A button keeps its link for 2 s after it was used, and while something is under way")
    func hold() {
        var planner = Self.planner(waiting: 1..<2, up: 0..<1)
        planner.refused(now: .zero)
        planner.used(Self.ids[0], now: .seconds(5))
        planner.heard(Self.ids[1], now: .seconds(5))
        #expect(Self.steps(&planner, 5) == [.tellLimit(1)])
        #expect(planner.deadline(now: .seconds(5)) == .seconds(7))
        #expect(planner.steps(now: .seconds(7), isIdle: { _ in false }) == [])
        #expect(Self.steps(&planner, 7) == [.makeRoom(Self.ids[0])])
    }

    @Test("More links than the limit raise it; after ten minutes it is tried anew, and told only if it is another")
    func relearn() {
        var planner = Self.planner(waiting: 0..<4)
        planner.note(Self.ids[0], .up, now: .zero)
        planner.refused(now: .zero)
        #expect(Self.steps(&planner, 0) == [.tellLimit(1)])
        planner.note(Self.ids[1], .up, now: .seconds(1))
        #expect(planner.connectionLimit == 2)
        #expect(Self.steps(&planner, 1) == [.tellLimit(2)])
        #expect(Self.steps(&planner, 600) == [] && planner.connectionLimit == nil && !planner.isCrowded)
        planner.refused(now: .seconds(601))
        #expect(Self.steps(&planner, 601) == [] && planner.connectionLimit == 2)
        planner.adapterLost()
        #expect(planner.connectionLimit == nil)
    }

    @Test("Refused without a link of ours, others hold them all: one is tried all the same")
    func foreign() {
        var planner = Self.planner(waiting: 0..<2)
        planner.refused(now: .zero)
        planner.heard(Self.ids[0], now: .zero)
        #expect(Self.steps(&planner, 0) == [.tellLimit(1), .open(Self.ids[0])])
    }

    // MARK: Jitter

    @Test(
        "A wait is spread by up to a quarter, differently for each button, and in the same way each time",
        arguments: [0, 1, 0x80E4_DA00_0001, UInt64.max]
    )
    func jitter(seed: UInt64) {
        var jitter = Jitter(seed: seed)
        var again = Jitter(seed: seed)
        var other = Jitter(seed: seed &+ 1)
        let waits = (0..<200).map { _ in jitter.spread(.seconds(8)) }
        #expect(waits.allSatisfy { $0 >= .seconds(6) && $0 <= .seconds(10) })
        #expect(waits.max()! - waits.min()! > .seconds(3))
        #expect(waits == (0..<200).map { _ in again.spread(.seconds(8)) })
        #expect(waits != (0..<200).map { _ in other.spread(.seconds(8)) })
    }
}
