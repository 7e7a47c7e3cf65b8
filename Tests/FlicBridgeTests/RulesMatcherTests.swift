import FlicBridge
import FoundationEssentials
import Testing

@Suite("Rules: which of them fire")
struct RulesMatcherTests {
    private static func verdict(_ rule: Configuration.Rule, _ subject: RuleSubject) -> RuleVerdict {
        RuleMatcher(rule).verdict(on: subject, now: .zero)
    }

    private static func rule(
        _ events: Set<PressEvent.Kind> = [.click],
        buttons: [String] = [],
        queued: Bool? = nil,
        maxAge: Duration? = nil,
        minInterval: Duration? = nil
    ) -> Configuration.Rule {
        Configuration.Rule(name: "r", buttons: buttons, events: events, queued: queued, maxAge: maxAge, minInterval: minInterval)
    }

    @Test("By what was done", arguments: PressEvent.Kind.allCases)
    func events(kind: PressEvent.Kind) {
        #expect(Self.verdict(Self.rule([kind]), RuleSubject(kind: kind)) == .fires)
        #expect(Self.verdict(Self.rule(Set(PressEvent.Kind.allCases).subtracting([kind])), RuleSubject(kind: kind)) == .otherEvent)
    }

    @Test("By the button, whatever it is called by, in either case of letters; a made-up button is any")
    func buttons() {
        let rule = Self.rule(buttons: ["HALL", "bc00-a00001"])
        #expect(Self.verdict(rule, RuleSubject(kind: .click, names: ["hall", "bc00-a00002"])) == .fires)
        #expect(Self.verdict(rule, RuleSubject(kind: .click, names: ["bc00-a00001"])) == .fires)
        #expect(Self.verdict(rule, RuleSubject(kind: .click, names: ["hal", "bc00"])) == .otherButton)
        #expect(Self.verdict(rule, RuleSubject(kind: .click)) == .fires)
        #expect(Self.verdict(Self.rule(), RuleSubject(kind: .click, names: [])) == .fires)
    }

    @Test("By the button of a Flic Duo")
    func buttonNumber() {
        for wanted in 0...1 {
            var rule = Self.rule()
            rule.buttonNumber = wanted
            #expect(Self.verdict(rule, RuleSubject(kind: .click, buttonNumber: wanted)) == .fires)
            #expect(Self.verdict(rule, RuleSubject(kind: .click, buttonNumber: 1 - wanted)) == .otherButtonNumber)
            #expect(Self.verdict(Self.rule(), RuleSubject(kind: .click, buttonNumber: wanted)) == .fires)
        }
    }

    @Test("By whether it was queued, and how long ago")
    func queue() {
        let late = RuleSubject(kind: .click, isQueued: true, age: 3)
        let now = RuleSubject(kind: .click)
        #expect(Self.verdict(Self.rule(queued: true), now) == .notQueued && Self.verdict(Self.rule(queued: true), late) == .fires)
        #expect(Self.verdict(Self.rule(queued: false), late) == .queued && Self.verdict(Self.rule(queued: false), now) == .fires)
        #expect(Self.verdict(Self.rule(maxAge: .milliseconds(2900)), late) == .tooOld)
        #expect(Self.verdict(Self.rule(maxAge: .seconds(3)), late) == .fires && Self.verdict(Self.rule(maxAge: .zero), now) == .fires)
    }

    @Test("Not again before its time is over, for each button by itself")
    func interval() {
        var matcher = RuleMatcher(Self.rule(minInterval: .seconds(2)))
        var one = RuleSubject(kind: .click)
        one.button = UUID()
        var other = one
        other.button = UUID()
        func verdict(_ subject: RuleSubject, _ now: Double) -> RuleVerdict { matcher.verdict(on: subject, now: .seconds(now)) }
        #expect(verdict(one, 0) == .fires)
        matcher.note(one, now: .zero)
        #expect(verdict(one, 0.5) == .tooSoon(.milliseconds(1500)) && verdict(other, 0.5) == .fires)
        #expect(verdict(one, 2) == .fires)
        matcher.note(one, now: .seconds(2))
        #expect(verdict(one, 3.5) == .tooSoon(.milliseconds(500)))
        matcher.forget(one.button!)
        #expect(verdict(one, 3.5) == .fires)
    }
}
