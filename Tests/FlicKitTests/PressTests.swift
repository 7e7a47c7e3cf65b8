import FlicKit
import FlicSimulator
import Foundation
import Testing

@Suite("Presses")
struct PressTests {
    typealias Mode = FLICButtonTriggerMode
    static let modes: [Mode] = [.clickAndHold, .clickAndDoubleClick, .clickAndDoubleClickAndHold, .click]

    /// Edges of the finger in ms, and what each mode makes of them.
    struct Press: Sendable, CustomTestStringConvertible {
        let edges: [Int]
        let calls: [String]

        var testDescription: String { "\(edges)" }
    }

    /// The table of section 9, `d` down, `u` up, `c` click, `2` double click, `h` hold.
    static let presses = [
        Press(edges: [0, 100], calls: ["duc", "duc", "duc", "dcu"]),
        Press(edges: [0, 700], calls: ["duc", "duc", "duc", "dcu"]),
        Press(edges: [0, 1500], calls: ["dhu", "duc", "dhu", "dcu"]),
        Press(edges: [0, 100, 300, 400], calls: ["ducduc", "dudu2", "dudu2", "dcudcu"]),
        Press(edges: [0, 100, 200, 300, 400, 500], calls: ["ducducduc", "dudu2duc", "dudu2duc", "dcudcudcu"]),
        Press(edges: [0, 100, 200, 300, 400, 500, 600, 700], calls: ["ducducducduc", "dudu2dudu2", "dudu2dudu2", "dcudcudcudcu"]),
    ]

    static func letters(_ trace: [String]) -> String {
        let letters = ["down": "d", "up": "u", "click": "c", "doubleClick": "2", "hold": "h"]
        return trace.compactMap { line in letters[String(line.prefix { $0 != " " })] }.joined()
    }

    static func perform(_ press: Press, on stage: Stage) async {
        var time = 0
        for (index, edge) in press.edges.enumerated() {
            await stage.pass(.milliseconds(edge - time), step: .milliseconds(20))
            time = edge
            if index.isMultiple(of: 2) { await stage.button.press() } else { await stage.button.release() }
        }
        await stage.pass(.seconds(2))
    }

    @Test("Order 9, B8, B44, B64-B68, B.6.6: each press, by mode, live", arguments: presses, modes)
    func live(press: Press, mode: Mode) async throws {
        let (stage, button) = try await Stage.paired()
        button.triggerMode = mode
        await Self.perform(press, on: stage)
        let trace = stage.program.take()
        #expect(Self.letters(trace) == press.calls[mode.rawValue])
        #expect(!trace.contains { $0.contains("queued") })
    }

    @Test("Order 9, B.6.6: the same, queued: right after isReady, oldest first", arguments: presses, modes)
    func queued(press: Press, mode: Mode) async throws {
        let (stage, button) = try await Stage.paired()
        button.triggerMode = mode
        await stage.carryAway()
        await Self.perform(press, on: stage)
        _ = stage.program.take()
        await stage.bringBack()
        await stage.pass(.seconds(20))
        let trace = stage.program.take()
        #expect(trace.prefix(2) == ["didConnect: connected", "isReady: connected ready"])
        #expect(Self.letters(trace) == press.calls[mode.rawValue])
        #expect(trace.dropFirst(2).dropLast().allSatisfy { $0.contains("queued") })
        #expect(trace.last == "battery same=true: connected ready")
    }

    @Test("Order 9: a hold is told at 1 s, a click that waits for a second press at 0.5 s")
    func moments() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.button.press()
        await stage.pass(.milliseconds(990), step: .milliseconds(10))
        #expect(stage.program.take() == ["down #1"])
        await stage.pass(.milliseconds(40), step: .milliseconds(10))
        #expect(stage.program.take() == ["hold #1"])
        await stage.button.release()
        await stage.pass(.seconds(2))
        #expect(stage.program.take() == ["up #1"])
        button.triggerMode = .clickAndDoubleClick
        await stage.press(for: .milliseconds(100))
        await stage.pass(.milliseconds(350), step: .milliseconds(10))
        #expect(stage.program.take() == ["down #2", "up #2"])
        await stage.pass(.milliseconds(100), step: .milliseconds(10))
        #expect(stage.program.take() == ["click #2"])
    }

    @Test("B44: clickAndHold by default; a change holds from the next event on, and is kept for the next launch")
    func modeChange() async throws {
        let (first, button) = try await Stage.paired()
        #expect(button.triggerMode == .clickAndHold)
        await first.button.press()
        await first.pass(.milliseconds(100))
        button.triggerMode = .clickAndDoubleClick
        #expect(button.triggerMode == .clickAndDoubleClick)
        await first.button.release()
        await first.pass(.milliseconds(100))
        #expect(first.program.take() == ["down #1", "up #1"])
        await first.pass(.seconds(1))
        #expect(first.program.take() == ["click #1"])
        let stage = await first.relaunched()
        await stage.settle()
        #expect(stage.manager.buttons().map(\.triggerMode) == [.clickAndDoubleClick])
    }

    @Test("B46: pressCount counts downs, before the call, is kept, and starts over when the button does")
    func pressCount() async throws {
        let (first, button) = try await Stage.paired()
        #expect(button.pressCount == 0)
        for count in 1...3 {
            await first.press(for: .milliseconds(100))
            #expect(first.program.take().first == "down #\(count)")
            #expect(button.pressCount == count)
        }
        let stage = await first.relaunched()
        await stage.settle()
        #expect(stage.manager.buttons().map(\.pressCount) == [3])
        await stage.button.reboot()
        await stage.pass(.seconds(1))
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        #expect(stage.manager.buttons().map(\.pressCount) == [1])
    }

    @Test("B.6.6: the age is in seconds, to the nearest, up to the moment the button became ready", arguments: [(1300, 1), (2400, 2), (61_000, 61)])
    func age(milliseconds: Int, age: Int) async throws {
        let (stage, _) = try await Stage.paired()
        await stage.carryAway()
        await stage.press(for: .milliseconds(100))
        await stage.pass(.milliseconds(milliseconds - 400), step: .milliseconds(10))
        await stage.bringBack()
        // Another press makes the button advertise quickly; it is connected and ready about 0.3 s later.
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        let down = stage.program.take().first { $0.hasPrefix("down") }
        #expect(down == "down #1 queued \(age)")
    }

    @Test("B.6.6: each press is delivered once, across losses of the link and restarts of the program")
    func once() async throws {
        let (first, _) = try await Stage.paired()
        var downs: [String] = []
        for _ in 0..<3 {
            await first.press(for: .milliseconds(100))
            await first.carryAway()
            await first.press(for: .milliseconds(100))
            await first.bringBack()
            await first.pass(.seconds(5))
            downs += first.program.take()
        }
        let stage = await first.relaunched()
        await stage.settle()
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(5))
        downs += stage.program.take()
        let counts = downs.filter { $0.hasPrefix("down") }.map { $0.split(separator: " ")[1] }
        #expect(counts == (1...7).map { "#\($0)" })
    }

    @Test("B.6.6: without a delegate, presses are dropped; with one again, later ones come")
    func withoutDelegate() async throws {
        let (stage, button) = try await Stage.paired()
        button.delegate = nil
        await stage.press(for: .milliseconds(100))
        button.delegate = stage.program
        #expect(stage.program.take() == [])
        await stage.press(for: .milliseconds(100))
        #expect(stage.program.take() == ["down #2", "up #2", "click #2"])
    }
}
