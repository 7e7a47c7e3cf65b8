import ClickClassifier
import FlicClient
import FlicSimulator
import GATT
import Testing

@Suite("A Flic Duo")
struct DuoTests {
    private static let modes: [TriggerMode] = [.clickAndHold, .clickAndDoubleClick, .clickAndDoubleClickAndHold]

    /// A scene with a Duo that has been paired.
    private static func run(
        _ change: @escaping @Sendable (inout FlicConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (Scene, FlicButton) async throws -> Void
    ) async throws {
        try await Scene.run(identity: .make(seed: 1, product: .duo), configure: change) { scene in
            await scene.button.enterPublicMode()
            let button = try await scene.flic.pair()
            try await button.ready()
            await scene.pass(.seconds(1))
            _ = scene.trace.take()
            try await body(scene, button)
        }
    }

    @Test("Is paired as a Duo, and known as one after a restart")
    func pairing() async throws {
        try await Self.run { scene, button in
            #expect(button.info.product == .duo && button.info.serialNumber.hasPrefix("D"))
            await scene.button.click(button: 1)
            await scene.pass(.seconds(1))
            let record = try #require(scene.store.contents.first)
            #expect(record.product == .duo && record.smallEventCount == 4)
        }
    }

    @Test("Both buttons, each with its own double clicks and holds", arguments: 0...1)
    func buttons(number: Int) async throws {
        try await Self.run {
            $0.clickRules = .standard(.clickAndDoubleClickAndHold)
        } _: { scene, button in
            let presses = button.pressEvents()
            await scene.button.doubleClick(button: number)
            await scene.pass(.seconds(1))
            await scene.button.click(button: number)
            await scene.pass(.seconds(1))
            await scene.button.hold(button: number)
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "up", "down", "up", "doubleClick", "down", "up", "click", "down", "hold", "up"])
            var iterator = presses.makeAsyncIterator()
            for _ in 0..<11 { #expect(await iterator.next()?.buttonNumber == number) }
        }
    }

    @Test("Fingers on both buttons at once do not disturb each other")
    func together() async throws {
        try await Self.run { scene, _ in
            await scene.button.press(button: 0)
            await scene.pass(.milliseconds(100))
            await scene.button.press(button: 1)
            await scene.pass(.milliseconds(100))
            await scene.button.release(button: 0)
            await scene.pass(.seconds(1))
            await scene.button.release(button: 1)
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "down", "up", "click", "hold", "up"])
        }
    }

    @Test(
        "Four swipes, each told once and not as a click",
        arguments: [PressEvent.Gesture.left, .right, .up, .down],
        modes
    )
    func swipes(_ gesture: PressEvent.Gesture, mode: TriggerMode) async throws {
        let kinds: [PressEvent.Gesture: String] = [.left: "swipeLeft", .right: "swipeRight", .up: "swipeUp", .down: "swipeDown"]
        for limits in [nil, ClickClassifier.Limits()] {
            try await Self.run {
                $0.clickRules = ClickRules(mode: mode, limits: limits)
            } _: { scene, _ in
                await scene.button.swipe(gesture, button: 1)
                await scene.pass(.seconds(2))
                #expect(scene.trace.take() == ["down", "up", kinds[gesture]])
            }
        }
    }

    @Test("A movement that was not recognised is a click")
    func unrecognized() async throws {
        try await Self.run { scene, button in
            var presses = button.pressEvents().makeAsyncIterator()
            await scene.button.swipe(.unrecognized)
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "up", "click"])
            #expect(await presses.next()?.gesture == nil)
            #expect(await presses.next()?.gesture == .unrecognized)
        }
    }

    @Test("A swipe within the time of a double click leaves the press before it, and the one after it, alone", arguments: [true, false])
    func swipesAndClicks(isJudgedHere: Bool) async throws {
        let rules = ClickRules(mode: .clickAndDoubleClickAndHold, limits: isJudgedHere ? ClickClassifier.Limits() : nil)
        try await Self.run {
            $0.clickRules = rules
        } _: { scene, _ in
            await scene.button.click()
            await scene.pass(.milliseconds(50))
            await scene.button.swipe(.left)
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "up", "down", "up", "click", "swipeLeft"])
            await scene.button.swipe(.right)
            await scene.pass(.milliseconds(50))
            await scene.button.click()
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "up", "swipeRight", "down", "up", "click"])
        }
    }

    @Test("What happened out of range is told afterwards, once, also after a restart of the program")
    func queue() async throws {
        try await Self.run { scene, button in
            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(10))
            await scene.button.click(button: 1)
            await scene.button.swipe(.up)
            await scene.pass(.seconds(10))
            _ = scene.trace.take()
            await scene.air.setInRange(true, scene.button.address)
            await scene.button.click(button: 1)
            await scene.pass(.seconds(60))
            let told = scene.trace.take().compactMap { $0.split(separator: " ").first }.filter { ["down", "up", "click", "swipeUp"].contains($0) }
            #expect(told == ["down", "up", "click", "down", "up", "swipeUp", "down", "up", "click"])
            #expect(button.info.isReady)
        }
    }

    @Test("Push and twist: turns of the button that is held, as far as they are asked for")
    func turns() async throws {
        try await Self.run { scene, button in
            var turns = button.turns().makeAsyncIterator()
            await scene.button.press()
            await scene.button.turn(by: 1)
            await button.setPushTwist([0])
            await scene.pass(.seconds(1))
            await scene.button.turn(by: 0.25)
            await scene.button.turn(by: -0.5)
            await scene.button.release()
            await scene.button.turn(by: 1)
            await scene.pass(.seconds(1))
            #expect(await turns.next() == ButtonTurn(buttonNumber: 0, turns: 0.25, isFirst: false, isLong: true))
            #expect(await turns.next() == ButtonTurn(buttonNumber: 0, turns: -0.5, isFirst: false, isLong: true))
            let turned = scene.trace.take().filter { $0.hasPrefix("turned") }
            #expect(turned == ["turned 0.25", "turned -0.5"])
        }
    }
}
