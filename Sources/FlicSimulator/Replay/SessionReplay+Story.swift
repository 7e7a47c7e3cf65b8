import FlicClient
import FlicProtocol

/// A trace for people.
extension SessionReplay {
    /// Tells everything that was recorded, a line for each record: seconds, whom it is about, and what happened.
    public func tellStory(_ tell: (String) -> Void) {
        /// Packets of which some fragments have been seen, by link, direction and id.
        var open: Set<[UInt64]> = []
        for (_, record) in records {
            let milliseconds = Int(record.ms)
            let seconds = "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
            let time = String(repeating: " ", count: max(0, 9 - seconds.count)) + seconds
            tell("\(time)  \(Self.text(record, &open))")
        }
        if isCut { tell("The last line is cut.") }
    }

    private static func text(_ record: TraceRecord, _ open: inout Set<[UInt64]>) -> String {
        let link = "link \(record.link.map { "\($0)" } ?? "?")"
        let reason = [record.reason, record.message].compactMap(\.self).joined(separator: ": ")
        switch record.what {
        case .adapter: return "Bluetooth is \(record.state ?? "?")"
        case .discovery: return "listening: \(record.state ?? "?")"
        case .resumed: return "the computer was asleep"
        case .open: return "\(link)  to \(record.address ?? "?") is asked for"
        case .connected: return "\(link)  connected"
        case .ready: return "\(link)  ready, MTU \(record.mtu.map { "\($0)" } ?? "?")"
        case .received: return "\(link)  ← \(packet(record, .fromButton, &open))"
        case .sent: return "\(link)  → \(packet(record, .toButton, &open))"
        case .close: return "\(link)  is ended here (\(reason))"
        case .closed: return "\(link)  closed: \(reason.isEmpty ? "as asked" : reason)"
        case .session:
            // What is sent is told by the link.
            let decisions = (record.actions ?? []).filter { $0.action != "send" }.map(\.description)
            let call = record.call.map(text) ?? "?"
            return "session \(record.session ?? 0)  \(call)\(decisions.isEmpty ? "" : ": ")\(decisions.joined(separator: ", "))"
        case .told: return "\(record.button ?? "?")  \(record.notice.map(text) ?? "?")"
        case .full: return "The recording ends here: the file is full."
        }
    }

    private static func packet(_ record: TraceRecord, _ direction: Direction, _ open: inout Set<[UInt64]>) -> String {
        guard let frame = record.frameBytes, frame.count >= 2 else { return "nothing" }
        let header = FrameHeader(rawValue: frame[0])
        let key = [record.link ?? 0, direction == .toButton ? 1 : 0, UInt64(header.connectionID)]
        let isFirst = !open.contains(key)
        if header.hasMore { open.insert(key) } else { open.remove(key) }
        guard isFirst else { return "…, \(frame.count) bytes" }
        let name = PacketCatalog.packet(frame[1], direction).map { "\($0)" } ?? "unknown packet \(frame[1])"
        return "\(name), \(frame.count) bytes\(record.masked == true ? ", masked" : "")"
    }

    private static func text(_ call: TraceCall) -> String {
        guard call.name == .start, let beginning = call.beginning else { return call.name.rawValue }
        return beginning.memory.map { "starts: verifies a pairing, \($0)" } ?? "starts: pairs"
    }

    private static func text(_ notice: TraceNotice) -> String {
        let values = [
            notice.kind, notice.isQueued == true ? "queued, age \(notice.age ?? 0) s" : nil, notice.count.map { "count \($0)" },
            notice.volts.map { "\($0) V" }, notice.bytes.map { "\($0) bytes" }, notice.reason, notice.message.flatMap { $0.isEmpty ? nil : $0 },
        ].compactMap(\.self)
        return "\(notice.notice)\(values.isEmpty ? "" : ": ")\(values.joined(separator: ", "))"
    }
}
