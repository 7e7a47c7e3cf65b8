/// How much a remark matters.
public enum LogLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Details of the connection.
    case debug
    /// What a user may want to know.
    case notice
    /// Something does not work as it should.
    case problem

    /// By importance.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// The word for it in `FLICKIT_LOG`.
    var word: String {
        switch self {
        case .debug: "debug"
        case .notice: "notice"
        case .problem: "problem"
        }
    }

    /// As the system log counts, where 3 is an error, 5 a normal but notable event, and 7 for debugging (sd-daemon(3)).
    package var priority: Int {
        switch self {
        case .debug: 7
        case .notice: 5
        case .problem: 3
        }
    }
}
