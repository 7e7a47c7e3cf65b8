import Testing

@testable import flic

@Suite("flic demo")
struct DemoTests {
    @Test("The demo runs to its end in real time, on a dispatch queue", .timeLimit(.minutes(1)))
    func demo() async {
        #expect(await FlicProgram.run(["demo", "--json"]) == .done)
    }
}
