package import FlicClient

extension ClickRules {
    /// What buttons get that have none of their own, from the commands and the daemon alike: clicks, double clicks and holds.
    package static let usual = ClickRules.standard(.clickAndDoubleClickAndHold)

    /// The limits that are judged by: the button's own, or those in their place.
    private var judged: ClickClassifier.Limits { limits ?? ClickClassifier.Limits() }

    /// Seconds from down to down of a double click; nil where the mode has none.
    package var doubleClickTime: Double? { mode.hasDoubleClick ? Self.seconds(judged.doubleClick) : nil }

    /// Seconds after which a press is a hold; nil where the mode has none.
    package var holdTime: Double? { mode.hasHold ? Self.seconds(judged.hold) : nil }

    /// Whether three fast presses are a triple click; nil where the mode has no double clicks.
    package var tripleClick: Bool? { mode.hasDoubleClick ? judged.tripleClick : nil }

    /// To milliseconds.
    private static func seconds(_ ticks: UInt64) -> Double { (Double(ticks) / ticksPerSecond * 1000).rounded() / 1000 }

    private static let ticksPerSecond = 32_768.0

    /// What the limits can be, in seconds.
    package static let seconds = 0.1...10.0

    /// Rules of one's own where a time or triple clicks are asked for; else the button decides.
    ///
    /// - Parameters:
    ///   - doubleClickTime: Seconds within ``seconds``; nil for the button's own.
    ///   - holdTime: Seconds within ``seconds``; nil for the button's own.
    package init(_ mode: TriggerMode, doubleClickTime: Double?, holdTime: Double?, tripleClick: Bool) {
        guard doubleClickTime != nil || holdTime != nil || tripleClick else {
            self = .standard(mode)
            return
        }
        func ticks(_ seconds: Double?, _ usual: UInt64) -> UInt64 {
            seconds.map { UInt64(min(max($0, Self.seconds.lowerBound), Self.seconds.upperBound) * Self.ticksPerSecond) } ?? usual
        }
        let usual = ClickClassifier.Limits()
        let limits = ClickClassifier.Limits(
            doubleClick: ticks(doubleClickTime, usual.doubleClick),
            hold: ticks(holdTime, usual.hold),
            tripleClick: tripleClick
        )
        self = .custom(mode, limits: limits)
    }
}
