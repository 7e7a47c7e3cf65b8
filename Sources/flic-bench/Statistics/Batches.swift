import CAllocations

/// Times of something that is too short to be timed alone: it is done in batches, and each batch gives the mean of its repetitions.
struct Batches {
    /// Nanoseconds of one repetition, for each batch.
    private(set) var times: [Double] = []
    /// Allocations of one repetition, for each batch.
    private(set) var allocations: [Double] = []

    /// - Parameters:
    ///   - count: Number of batches, besides one that is not counted.
    ///   - size: Repetitions in a batch.
    ///   - work: Is told which repetition it is, counted from 0 over all batches.
    init(_ count: Int, of size: Int, _ work: (Int) throws -> Void) rethrows {
        times.reserveCapacity(count)
        allocations.reserveCapacity(count)
        for batch in 0...count {
            let (allocated, start) = (c_allocations(), MonotonicTime.now)
            for repetition in 0..<size { try work(batch * size + repetition) }
            let (time, amount) = (MonotonicTime.now - start, c_allocations() - allocated)
            guard batch > 0 else { continue }
            times.append(Double(time) / Double(size))
            allocations.append(Double(amount) / Double(size))
        }
    }

    /// What is to be told: the time, and the allocations.
    func figures(_ name: String) -> [Figure] {
        [Figure(name, unit: "ns", times), Figure("\(name): allocations", unit: "1", allocations)].compactMap(\.self)
    }
}

extension Figure {
    /// - Returns: nil if there are no values.
    init?(_ name: String, unit: String, _ values: [Double]) {
        guard let statistics = Statistics(values) else { return nil }
        self.init(name: name, unit: unit, statistics: statistics)
    }
}
