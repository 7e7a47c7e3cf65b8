import Commands
import Testing

@Suite("Progress bars")
struct ProgressBarTests {
    @Test(
        "Rounded down: full is all of it",
        arguments: [(0, 0), (1, 0), (332, 33), (500, 50), (999, 99), (1000, 100), (-5, 0), (2000, 100)]
    )
    func bars(done: Int, percent: Int) {
        let text = ProgressBar.text(done, of: 1000)
        let filled = text.filter { $0 == "#" }.count
        #expect(ProgressBar.percent(done, of: 1000) == percent)
        #expect(text.hasSuffix("] \(percent < 10 ? "  " : percent < 100 ? " " : "")\(percent) %") && text.count == 38)
        #expect(filled == percent * 3 / 10 || filled == (percent * 3 + 2) / 10)
        #expect((filled == 30) == (percent == 100))
    }

    @Test("Of nothing, all is done")
    func nothing() { #expect(ProgressBar.percent(0, of: 0) == 100) }
}
