import FoundationEssentials

/// What the program is to do.
struct Options {
    var flic = ""
    var logs = URL(filePath: "matrix-logs")
    var rounds = 3
    var worlds = 6
    var faults = Fault.allCases
    var moments = Moment.allCases
    var seed = UInt64.random(in: 0...999_999)
    var isLong = false

    static let usage = """
        usage: FaultMatrix --flic PROGRAM --logs DIRECTORY --worlds N [--rounds N] [--fault F]... [--moment M]... [--seed S] [--long]
        faults:  \(Fault.allCases.map(\.rawValue).joined(separator: " "))
        moments: \(Moment.allCases.map(\.rawValue).joined(separator: " "))
        """

    /// nil if there is no sense in the arguments.
    init?(_ arguments: [String]) {
        var faults: [Fault] = []
        var moments: [Moment] = []
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--long" {
                isLong = true
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch option {
            case "--flic": flic = value
            case "--logs": logs = URL(filePath: value)
            case "--rounds": rounds = Int(value) ?? 0
            case "--worlds": worlds = Int(value) ?? 0
            case "--seed":
                guard let number = UInt64(value) else { return nil }
                seed = number
            case "--fault":
                guard let fault = Fault(rawValue: value) else { return nil }
                faults.append(fault)
            case "--moment":
                guard let moment = Moment(rawValue: value) else { return nil }
                moments.append(moment)
            default: return nil
            }
        }
        guard !flic.isEmpty, rounds > 0, (1...32).contains(worlds) else { return nil }
        if !faults.isEmpty { self.faults = faults }
        if !moments.isEmpty { self.moments = moments }
    }
}
