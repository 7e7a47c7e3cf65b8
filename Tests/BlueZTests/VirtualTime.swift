import EventLoops
import FlicSimulator
import Synchronization
import Testing

/// Tests that run on virtual time: what they wait for takes no time, and the clock moves only when nothing is under way on the bus.
struct VirtualTime: TestTrait, SuiteTrait, TestScoping {
    /// The clock of the present test.
    @TaskLocal static var clock: VirtualLoop?

    /// A loop on the time of the present test.
    static func makeLoop(_ label: String) -> DispatchLoop { clock?.makeLoop(label: label) ?? DispatchLoop(label: label) }

    var isRecursive: Bool { true }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void) async throws {
        try await withoutActuallyEscaping(function) { function in
            let clock = VirtualLoop(label: "test", patience: .seconds(30))
            let body = Body(function)
            let result: Result<Void, any Error>
            do {
                result = .success(try await clock.run { try await Self.$clock.withValue(clock) { try await body.run() } })
            } catch {
                result = .failure(error)
            }
            // One that was given up is cancelled; what it still waits for may need time to fail.
            try? await clock.run(timeLimit: .seconds(3600)) { await body.end() }
            try result.get()
        }
    }
}

extension Trait where Self == VirtualTime {
    /// On virtual time.
    static var virtualTime: Self { Self() }
}

/// A test's function, which is not kept longer than it runs.
private final class Body: Sendable {
    private let function: Mutex<(@Sendable () async throws -> Void)?>
    private let (ends, ended) = AsyncStream.makeStream(of: Void.self)

    init(_ function: @escaping @Sendable () async throws -> Void) { self.function = Mutex(function) }

    func run() async throws {
        defer { ended.finish() }
        try await take()?()
    }

    private func take() -> (@Sendable () async throws -> Void)? {
        function.withLock { function in
            defer { function = nil }
            return function
        }
    }

    /// Returns when it has run, or never will.
    func end() async {
        if take() != nil { return }
        for await _ in ends {}
    }
}
