/// How far something is, in one line.
package enum ProgressBar {
    /// Columns between the brackets.
    private static let width = 30

    /// As `[#####·····]  17 %`.
    ///
    /// - Parameters:
    ///   - done: Taken as the nearest of 0 to `total`.
    ///   - total: Nothing to do is all done.
    package static func text(_ done: Int, of total: Int) -> String {
        let filled = share(done, of: total, in: width)
        let percent = String(percent(done, of: total))
        let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: width - filled)
        return "[\(bar)] \(String(repeating: " ", count: max(0, 3 - percent.count)))\(percent) %"
    }

    /// Whole percent, rounded down: 100 is all of it.
    package static func percent(_ done: Int, of total: Int) -> Int { share(done, of: total, in: 100) }

    private static func share(_ done: Int, of total: Int, in parts: Int) -> Int {
        guard total > 0 else { return parts }
        return Int(Double(min(max(done, 0), total)) * Double(parts) / Double(total))
    }
}
