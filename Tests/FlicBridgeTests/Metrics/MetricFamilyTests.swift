import Fixtures
import FlicBridge
import Testing

@Suite("Metrics: the text")
struct MetricFamilyTests {
    @Test("A family is described, and then its values")
    func text() {
        let families = [
            MetricFamily(
                "a_volts",
                .gauge,
                unit: "volts",
                help: "Say \"hi\"\\ or\nnot.",
                samples: [.init(2.95, labels: [.init("name", "\"\\\n\u{E9}")]), .init(-3), .init(.infinity), .init(.nan), .init(1e20)]
            ),
            MetricFamily("b", .counter, help: "B.", samples: [.init(4_294_967_296, suffix: "_total", labels: [.init("x", "1"), .init("y", "")])]),
        ]
        #expect(
            MetricFamily.text(families) == """
                # TYPE a_volts gauge
                # UNIT a_volts volts
                # HELP a_volts Say \\"hi\\"\\\\ or\\nnot.
                a_volts{name="\\"\\\\\\n\u{E9}"} 2.95
                a_volts -3
                a_volts +Inf
                a_volts NaN
                a_volts 1e+20
                # TYPE b counter
                # HELP b B.
                b_total{x="1",y=""} 4294967296
                # EOF

                """
        )
    }

    @Test("Whatever a label says, it is read back as it was")
    func hostile() throws {
        var random = Random(seed: 2)
        for _ in 0..<500 {
            let value = String(decoding: random.bytes(random.next(24)), as: UTF8.self)
            let text = MetricFamily.text([MetricFamily("a", .gauge, help: "A.", samples: [.init(1, labels: [.init("l", value)])])])
            #expect(try OpenMetricsText(text).value("a", ["l": value]) == 1)
        }
    }

    @Test("The reader of these tests finds faults")
    func reader() throws {
        let good = "# TYPE a counter\n# HELP a A.\na_total 1\n# EOF\n"
        #expect(try OpenMetricsText(good).value("a_total") == 1)
        for (part, other) in [
            ("# EOF\n", ""), ("a_total 1", "a 1"), ("a_total 1", "a_total -1"), ("a_total 1", "a_total one"), ("# HELP a A.\n", ""),
            ("a_total 1\n", "a_total 1\na_total 2\n"), ("a_total 1", "a_total{l=\"\\x\"} 1"), ("a_total 1", "a_total{l=\"1\",l=\"1\"} 1"),
            ("# HELP a A.", "# UNIT a b\n# HELP a A."), ("counter", "thing"), ("a_total 1\n", "\na_total 1\n"),
        ] {
            let bad = good.replacing(part, with: other)
            #expect(throws: OpenMetricsText.Problem.self, "\(bad)") { try OpenMetricsText(bad) }
        }
    }
}
