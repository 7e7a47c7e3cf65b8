import FlicClient
import FlicKit
import FlicSimulator
import Foundation
import Testing

@Suite("Events of flic2lib 1.5")
struct ButtonEventTests {
    /// Hears only of events; each filter that lets one through leaves a word.
    final class Listener: NSObject, FLICButtonDelegate, @unchecked Sendable {
        private let lock = NSLock()
        private var events: [FLICButtonEvent] = []

        func take() -> [FLICButtonEvent] {
            lock.withLock {
                defer { events = [] }
                return events
            }
        }

        func buttonDidConnect(_ button: FLICButton) {}
        func buttonIsReady(_ button: FLICButton) {}
        func button(_ button: FLICButton, didDisconnectWithError error: (any Error)?) {}
        func button(_ button: FLICButton, didFailToConnectWithError error: (any Error)?) {}
        func button(_ button: FLICButton, didReceive event: FLICButtonEvent) { lock.withLock { events.append(event) } }
    }

    private static func stage(isDuo: Bool) async throws -> (Stage, FLICButton, Listener) {
        let (stage, button) = try await Stage.paired(isDuo: isDuo)
        let listener = Listener()
        button.delegate = listener
        return (stage, button, listener)
    }

    /// What a program hears that listens to one class.
    private static func words(_ events: [FLICButtonEvent], _ filter: (FLICButtonEvent, (FLICButtonEventType, UInt8) -> Void) -> Void) -> [String] {
        var words: [String] = []
        for event in events { filter(event) { words.append("\($0) \($1)") } }
        return words
    }

    /// Edges of the finger in ms, and what each class makes of them.
    struct Press: Sendable, CustomTestStringConvertible {
        let edges: [Int]
        let clickOrHold: [String]
        let singleOrDouble: [String]
        let all: [String]

        var testDescription: String { "\(edges)" }
    }

    static let presses = [
        Press(edges: [0, 100], clickOrHold: ["click"], singleOrDouble: ["singleClick"], all: ["singleClick"]),
        Press(edges: [0, 700], clickOrHold: ["click"], singleOrDouble: ["singleClick"], all: ["singleClick"]),
        Press(edges: [0, 1500], clickOrHold: ["hold"], singleOrDouble: ["singleClick"], all: ["hold"]),
        Press(edges: [0, 100, 300, 400], clickOrHold: ["click", "click"], singleOrDouble: ["doubleClick"], all: ["doubleClick"]),
        Press(edges: [0, 100, 300, 1800], clickOrHold: ["click", "hold"], singleOrDouble: ["doubleClick"], all: ["doubleClick"]),
    ]

    @Test("Each class tells each press in its way, whatever the trigger mode, of a Flic 2 and of both buttons of a Duo", arguments: presses, 0...2)
    func classes(press: Press, device: Int) async throws {
        let (stage, button, listener) = try await Self.stage(isDuo: device > 0)
        button.triggerMode = .click
        let number = device == 2 ? 1 : 0
        var time = 0
        for (index, edge) in press.edges.enumerated() {
            await stage.pass(.milliseconds(edge - time), step: .milliseconds(20))
            time = edge
            if index.isMultiple(of: 2) { await stage.button.press(button: number) } else { await stage.button.release(button: number) }
        }
        await stage.pass(.seconds(2))
        let events = listener.take()
        let edges = press.edges.indices.map { $0.isMultiple(of: 2) ? "down \(number)" : "up \(number)" }
        #expect(Self.words(events) { $0.isButtonUpOrDown($1) } == edges)
        #expect(Self.words(events) { event, hear in event.isButtonDown { hear(event.type, $0) } } == edges.filter { $0.hasPrefix("down") })
        #expect(Self.words(events) { event, hear in event.isButtonUp { hear(event.type, $0) } } == edges.filter { $0.hasPrefix("up") })
        #expect(Self.words(events) { $0.isClickOrHold($1) } == press.clickOrHold.map { "\($0) \(number)" })
        #expect(Self.words(events) { $0.isSingleOrDoubleClick($1) } == press.singleOrDouble.map { "\($0) \(number)" })
        #expect(Self.words(events) { $0.isSingleOrDoubleClickOrHold($1) } == press.all.map { "\($0) \(number)" })
        for event in events { event.isGesture { _, _ in Issue.record("a gesture") } }
        let last = try #require(events.last { $0.type == .up })
        #expect(last.downAtLeastHalfASecond == (press.edges.suffix(2).reduce(0) { $1 - $0 } >= 500))
        #expect(last.gesture == .noGesture && !last.wasQueued && last.age == 0)
        #expect((last.z > 0.9) == (device > 0), "only a Duo has an accelerometer")
    }

    @Test(
        "A swipe is a gesture of its up, once, and no click of any class",
        arguments: zip([FLICButtonEventGesture.left, .right, .up, .down], [1, 2, 3, 4])
    )
    func swipes(gesture: FLICButtonEventGesture, rawValue: Int8) async throws {
        #expect(gesture.rawValue == rawValue)
        let (stage, _, listener) = try await Self.stage(isDuo: true)
        await stage.button.press(button: 1)
        await stage.pass(.milliseconds(200))
        await stage.button.release(button: 1, gesture: [.left, .right, .up, .down][Int(rawValue) - 1])
        await stage.pass(.seconds(2))
        let events = listener.take()
        var gestures: [String] = []
        for event in events { event.isGesture { gestures.append("\($0) \($1)") } }
        #expect(gestures == ["\(gesture) 1"])
        #expect(events.map(\.eventClass) == [.upOrDown, .upOrDown])
    }

    @Test("A movement that was not recognised is a click with a gesture that says so")
    func unrecognized() async throws {
        let (stage, _, listener) = try await Self.stage(isDuo: true)
        await stage.button.press()
        await stage.pass(.milliseconds(200))
        await stage.button.release(gesture: .unrecognized)
        await stage.pass(.seconds(2))
        let events = listener.take()
        for event in events { event.isGesture { _, _ in Issue.record("a gesture") } }
        #expect(Self.words(events) { $0.isClickOrHold($1) } == ["click 0"])
        #expect(events.filter { $0.type != .down }.allSatisfy { $0.gesture == .unrecognizedGesture })
    }

    @Test("Queued events carry their age, to the fraction of a second, and their count")
    func queued() async throws {
        let (stage, _, listener) = try await Self.stage(isDuo: false)
        await stage.carryAway()
        await stage.button.press()
        await stage.pass(.milliseconds(100))
        await stage.button.release()
        await stage.pass(.seconds(60))
        await stage.bringBack()
        await stage.pass(.seconds(60))
        let events = listener.take().filter(\.wasQueued)
        let click = try #require(events.first { $0.eventClass == .singleOrDoubleClickOrHold })
        #expect(click.type == .singleClick && click.eventCount % 4 == 0)
        #expect(click.age > 59 && click.age < 125 && click.age != click.age.rounded())
    }
}
