import ClickClassifier

/// The limits of ``ClickRules`` in their stored form. Times that there cannot be are taken as the nearest possible.
struct StoredClickLimits: Codable {
    /// Ticks of 1/32,768 s.
    var doubleClick: Int
    /// Ticks of 1/32,768 s.
    var hold: Int
    var tripleClick: Bool

    init(_ limits: ClickClassifier.Limits) {
        doubleClick = Int(limits.doubleClick)
        hold = Int(limits.hold)
        tripleClick = limits.tripleClick
    }

    var limits: ClickClassifier.Limits {
        ClickClassifier.Limits(doubleClick: UInt64(clamping: doubleClick), hold: UInt64(clamping: hold), tripleClick: tripleClick)
    }
}
