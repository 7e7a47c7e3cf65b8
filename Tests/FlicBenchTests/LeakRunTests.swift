import Testing

@testable import flic_bench

@Suite("Measurements: what links leave behind", .timeLimit(.minutes(2)))
struct LeakRunTests {
    @Test("The link is lost and made as often as was asked for, and what is used is noted", arguments: [false, true])
    func cycles(isOverBus: Bool) async throws {
        let run = LeakRun(cycles: 5, isOverBus: isOverBus)
        let usage = try await run.measure()
        #expect(usage.count == 5)
        #expect(usage.allSatisfy { $0.heap > 100_000 && $0.descriptors > 2 })
    }

    @Test("What grows after the warm-up is a failure that names it")
    func growth() throws {
        let run = LeakRun(cycles: 100, isOverBus: false)
        let settled = [Usage](repeating: Usage(heap: 1 << 20, descriptors: 10), count: 99)
        let figures = try run.report([Usage(heap: 0, descriptors: 1)] + settled).figures
        #expect(figures.map(\.name) == ["heap", "descriptors"] && figures.map(\.statistics.max) == [1024, 10])
        for (last, name) in [(Usage(heap: 2 << 20, descriptors: 10), "1048576 bytes"), (Usage(heap: 1 << 20, descriptors: 11), "1 descriptors")] {
            let failure = #expect(throws: Invocation.Failure.self) { try run.report(settled + [last]) }
            #expect(failure?.description.contains(name) == true)
        }
    }

    @Test("A descriptor that stays open, and memory that nobody has given back, are seen")
    func seen() throws {
        let before = Usage.now
        // Other tests open and close at the same time, but not so many.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 256 << 20, alignment: 16)
        defer { memory.deallocate() }
        #expect(Usage.now.growth(since: before).contains { $0.hasSuffix("bytes") })
    }
}
