import Testing

@testable import flic_bench

@Suite("Measurements: statistics")
struct StatisticsTests {
    @Test("Percentiles are values that were measured, by nearest rank, in whatever order they came")
    func ranks() throws {
        let hundred = try #require(Statistics((1...100).map(Double.init).reversed()))
        #expect((hundred.count, hundred.min, hundred.p50, hundred.p99, hundred.max) == (100, 1, 50, 99, 100))
        let more = try #require(Statistics((1...201).map(Double.init).shuffled()))
        #expect((more.p50, more.p99, more.max) == (101, 199, 201))
    }

    @Test("Of few values the highest stands for the rare ones", arguments: 1...99)
    func few(count: Int) throws {
        let statistics = try #require(Statistics((1...count).map(Double.init)))
        #expect(statistics.p50 == Double((count + 1) / 2))
        #expect(statistics.p99 == Double(count))
    }

    @Test("Nothing is told of no values")
    func none() {
        #expect(Statistics([]) == nil)
        #expect(Figure("exec", times: []) == nil)
    }

    @Test("Times are told in microseconds, to the nanosecond")
    func times() {
        #expect(Figure("exec", times: [1_500, 2_000_001])?.statistics == Statistics([1.5, 2000.001]))
    }
}
