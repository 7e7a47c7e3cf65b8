import FlicClient
import FlicSimulator
import Testing

@testable import flic

@Suite("flic demo")
struct DemoTests {
    @Test("The demo runs to its end in real time, on a dispatch queue", .timeLimit(.minutes(1)))
    func demo() async throws {
        let printed = Printed()
        var context = ProgramContext.system
        context.interrupts = { AsyncStream { _ in } }
        context.output = printed.output
        context.quit = { _ in }  // it would end the other tests as well
        #expect(await FlicProgram.run(["demo", "--json"], in: context) == .done)
        let events = try printed.objects.compactMap(\.event)
        #expect(events.first == "discovered" && events.last == "forgotten")
        #expect(["click", "hold", "disconnected"].allSatisfy { events.contains($0) })
    }

    @Test("An interrupt ends it in the middle, without a complaint")
    func interrupt() async throws {
        try await Stage.play { stage in
            let (interrupts, continuation) = AsyncStream.makeStream(of: Void.self)
            async let demo = stage.run("demo", interrupts: interrupts)
            await stage.pass(.seconds(2))
            continuation.yield()
            let run = await demo
            #expect(run.code == .interrupted && run.errors.isEmpty && !run.results.isEmpty)
        }
    }
}
