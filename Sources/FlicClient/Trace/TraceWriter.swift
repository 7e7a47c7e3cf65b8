import FlicProtocol
import FoundationEssentials
import GATT

/// Makes lines of what happened, without secrets and names, and writes them.
struct TraceWriter: ~Copyable {
    /// What ended the recording.
    enum End {
        case full
        case failed(TraceError)
    }

    /// Room that is kept for the last record.
    private static let reserve = 64
    /// Longer texts of the layers below are cut, in characters.
    private static let longestMessage = 500

    private var file: TraceFile
    private let limit: Int
    private let encoder = JSONEncoder()
    private let names = NameMask()
    private var received: [UInt64: FrameMask] = [:]
    private var sent: [UInt64: FrameMask] = [:]
    private var sessions: [Int: FrameMask] = [:]
    /// Of the links that are open.
    private var dialects: [UInt64: Dialect] = [:]

    /// Makes the file and writes its first line.
    init(creating path: String, program: String, limit: Int, _ calls: SystemCalls) throws(TraceError) {
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.limit = limit
        var file = try TraceFile(creating: path, limit: limit, calls)
        switch file.append(Self.line(TraceHeader(program: program), encoder)) {
        case .written: break
        case .full: throw TraceError(.failed, "\(path) would be full with its first line.")
        case .failed(let error): throw error
        }
        self.file = file
    }

    /// Writes what happened, in one piece.
    ///
    /// - Returns: nil if it goes on.
    mutating func write(_ events: [(time: Duration, event: TraceEvent)]) -> End? {
        var bytes: [UInt8] = []
        for (time, event) in events {
            let line = Self.line(record(event, at: time), encoder)
            guard file.size + bytes.count + line.count <= limit - Self.reserve else {
                let last = Self.line(TraceRecord(time.traceMilliseconds, .full), encoder)
                if case .failed(let error) = file.append(bytes + last) { return .failed(error) }
                return .full
            }
            bytes += line
        }
        if case .failed(let error) = file.append(bytes) { return .failed(error) }
        return nil
    }

    /// Nothing in a line can fail to be encoded.
    private static func line(_ value: some Encodable, _ encoder: JSONEncoder) -> [UInt8] {
        (try? encoder.encode(value)).map { Array($0) + [UInt8(ascii: "\n")] } ?? []
    }

    private mutating func record(_ event: TraceEvent, at time: Duration) -> TraceRecord {
        func record(_ what: TraceRecord.What, _ link: UInt64? = nil) -> TraceRecord {
            var record = TraceRecord(time.traceMilliseconds, what)
            record.link = link
            return record
        }
        switch event {
        case .adapter(let state):
            var record = record(.adapter)
            record.state = state.traceName
            return record
        case .resumed:
            return record(.resumed)
        case .discovery(let filter, let reach):
            var record = record(.discovery)
            record.state =
                switch filter {
                case nil: "off"
                case .any: "any"
                case .services(let services): services.map(\.description).joined(separator: " or ")
                }
            if filter != nil { record.state? += ", \(reach) adapters" }
            return record
        case .open(let link, let address, let dialect):
            dialects[link] = dialect
            var record = record(.open, link)
            record.address = address.description
            if dialect != .flic2 { record.dialect = dialect }
            return record
        case .link(let link, let event):
            return self.record(event, record, link)
        case .write(let link, let frame):
            var record = record(.sent, link)
            let fresh = FrameMask(.toButton, dialects[link] ?? .flic2)
            record.hold(frame, masked: sent[link, default: fresh].mask(frame, names))
            return record
        case .close(let link, let ending):
            var record = record(.close, link)
            record.reason = "\(ending)"
            return record
        case .session(let session, let link, let call, let actions):
            var record = record(.session, link)
            if case .start = call { received[link] = nil }  // what the last session has not received to the end is forgotten
            record.session = session
            record.call = TraceCall(call, names)
            let fresh = FrameMask(.toButton, dialects[link] ?? .flic2)
            var mask = sessions.removeValue(forKey: session) ?? fresh
            record.actions = actions.map { TraceAction($0, names) { mask.mask($0, names) } }
            if !call.isLast && !actions.contains(where: \.isLast) { sessions[session] = mask }
            return record
        case .told(let notice, let button):
            var record = record(.told)
            var told = TraceNotice(notice)
            told.message = told.message.flatMap(Self.cut)
            record.button = button
            record.notice = told
            return record
        }
    }

    private mutating func record(_ event: LinkEvent, _ record: (TraceRecord.What, UInt64?) -> TraceRecord, _ link: UInt64) -> TraceRecord {
        switch event {
        case .connected:
            return record(.connected, link)
        case .ready(let mtu):
            var record = record(.ready, link)
            record.mtu = mtu
            return record
        case .value(let frame, _):
            var record = record(.received, link)
            let fresh = FrameMask(.fromButton, dialects[link] ?? .flic2)
            record.hold(frame, masked: received[link, default: fresh].mask(frame, names))
            return record
        case .closed(let error):
            var record = record(.closed, link)
            record.reason = error.map { "\($0.code)" }
            record.message = error.flatMap { Self.cut($0.detail) }
            received[link] = nil
            sent[link] = nil
            dialects[link] = nil
            return record
        }
    }

    private static func cut(_ text: String) -> String? { text.isEmpty ? nil : String(text.prefix(longestMessage)) }
}

extension TraceRecord {
    fileprivate mutating func hold(_ frame: [UInt8], masked kept: [UInt8]) {
        self.frame = Hexadecimal.text(kept)
        if kept != frame { masked = true }
    }
}

extension CentralState {
    fileprivate var traceName: String {
        switch self {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported(let reason): "unsupported (\(reason))"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        }
    }
}

extension HostSession.Call {
    fileprivate var isLast: Bool { self == .close }
}

extension HostSession.Action {
    fileprivate var isLast: Bool {
        switch self {
        case .ended, .failed, .unpaired: true
        default: false
        }
    }
}
