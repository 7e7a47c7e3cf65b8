import Foundation
import Testing

@testable import FaultMatrix

@Suite("The judge of the fault matrix")
struct JudgeTests {
    static let pairing = World.Pairing(address: "00:AA:01:06:00:06", pairing: "00", wantsConnection: true, isUnpaired: false)

    /// What is wrong with lines, each of them told at once, where a press was down 1 and up 3.
    func verdict(_ fault: Fault, _ lines: [String], change: (inout Judge) -> Void = { _ in }) -> [String] {
        let chronicle = Chronicle()
        for line in lines { chronicle.output(#"{"event":"\#(line)}"#) }
        var judge = Judge(fault: fault)
        judge.struck = fault.states == [] ? Chronicle.now : .zero  // before all lines, or after them
        judge.recovered = .seconds(1_000_000)
        judge.strokes = [Hand.Stroke(kind: "down", count: 1), Hand.Stroke(kind: "up", count: 3)]
        judge.durations = [0.1...0.2]
        judge.status = 130
        judge.pairings = (Self.pairing, Self.pairing)
        judge.pairingCount = 1
        change(&judge)
        return judge.verdict(chronicle)
    }

    static let begin = [#"bluetooth","state":"poweredOn""#, #"connected""#, #"ready""#]
    static let press = [#"down","count":1"#, #"up","count":3"#, #"click","count":4"#]

    @Test("Nothing is wrong with a lost link that comes back, or with a daemon that does")
    func right() {
        #expect(verdict(.drop, Self.begin + [#"disconnected","reason":"timeout""#, #"connected""#, #"ready""#] + Self.press) == [])
        let restart = [#"bluetooth","state":"resetting""#, #"disconnected""#] + Self.begin
        #expect(verdict(.kill, Self.begin + restart + Self.press) == [])
    }

    @Test("Presses that are lost, doubled, made up or out of order")
    func presses() {
        #expect(verdict(.drop, Self.begin) == ["not told: down 1, up 3", "0 clicks and 0 holds, not 1 and 0"])
        #expect(verdict(.drop, Self.begin + Self.press + [#"up","count":3"#]) == ["told more than once: up 3, up 3"])
        #expect(verdict(.drop, Self.begin + Self.press + [#"up","count":7"#]) == ["never happened: up 7"])
        #expect(verdict(.drop, Self.begin + [#"up","count":3"#, #"down","count":1"#, #"click""#]) == ["not in order: up 3, down 1"])
    }

    @Test("Clicks and holds by how long the button was down, where that is certain")
    func clicks() {
        let hold = [#"down","count":1"#, #"hold","count":2"#, #"up","count":3"#]
        #expect(verdict(.drop, Self.begin + hold) == ["0 clicks and 1 holds, not 1 and 0"])
        #expect(verdict(.drop, Self.begin + hold) { $0.durations = [1.2...1.3] } == [])
        #expect(verdict(.drop, Self.begin + Self.press) { $0.durations = [1.2...1.3] } == ["1 clicks and 0 holds, not 0 and 1"])
        for lines in [hold, Self.press] { #expect(verdict(.drop, Self.begin + lines) { $0.durations = [0.7...1.2] } == []) }
        #expect(verdict(.drop, Self.begin + Self.press + [#"doubleClick""#]) == ["a double click that was none"])
    }

    @Test("A press that is told live by a button that is not ready")
    func notReady() {
        let lines = [#"bluetooth","state":"poweredOn""#, #"connected""#] + Self.press
        #expect(verdict(.drop, lines).first == "'down' does not fit what was told before")
        #expect(verdict(.drop, [#"bluetooth","state":"poweredOn""#, #"ready""#] + Self.press) == ["'ready' does not fit what was told before"])
    }

    @Test("States that are missing, or told without a cause, or last")
    func states() {
        #expect(verdict(.power, Self.begin + Self.press) == ["none of poweredOff was told, but poweredOn"])
        let off = [#"bluetooth","state":"poweredOff""#, #"disconnected""#]
        #expect(verdict(.drop, Self.begin + Self.press + off) { $0.struck = .zero }.count == 2)
        #expect(verdict(.power, Self.begin + Self.press + off) == ["the last state is poweredOff"])
        #expect(verdict(.power, Self.begin + Self.press + off.prefix(1)).contains("'bluetooth' does not fit what was told before"))
    }

    @Test("Ends, pairings and what is given up")
    func ends() {
        #expect(verdict(.hang, Self.begin + Self.press) { $0.status = nil } == ["the application did not end"])
        #expect(verdict(.hang, Self.begin + Self.press) { $0.pairings.1 = nil } == ["the stored pairing is another one"])
        #expect(verdict(.hang, Self.begin + Self.press) { $0.pairingCount = 2 } == ["the button has 2 pairings"])
        let failure = [#"failedToConnect","reason":"notifyRefused""#]
        #expect(verdict(.hang, Self.begin + Self.press + failure) == ["'failedToConnect notifyRefused' does not fit what was told before"])
        #expect(verdict(.hang, Self.begin + Self.press + [#"x"#]).first?.hasPrefix("not JSON") == true)
    }
}
