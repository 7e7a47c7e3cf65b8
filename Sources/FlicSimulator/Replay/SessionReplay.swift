public import FlicClient
public import FoundationEssentials

/// Replays the sessions of a trace (`TraceRecorder`): each is led anew through the same calls, frames and times, and has to decide the same.
///
/// ```swift
/// let replay = try SessionReplay(Data(contentsOf: URL(filePath: "trace.jsonl")))
/// #expect(replay.differences.isEmpty)
/// ```
///
/// The keys of the recording are not in the trace. The replay makes up others, and the packets of the button are signed anew with those
/// where the recorded session accepted their signatures. So what depends on keys and random numbers (public keys, proofs, signatures)
/// is not compared; everything else that the session has sent and decided is.
public struct SessionReplay: Sendable {
    /// Something that a session decides otherwise than it was recorded.
    public struct Difference: Hashable, Sendable, CustomStringConvertible {
        /// Line of the trace, counted from 1.
        public let line: Int
        /// Number of the session in the trace.
        public let session: Int
        /// What was recorded, and what came of it now.
        public let text: String

        /// For people.
        public var description: String { "Line \(line), session \(session), \(text)" }
    }

    /// The program that recorded.
    public let program: String
    /// How many sessions there are.
    public let sessionCount: Int
    /// In the order of lines.
    public let differences: [Difference]
    /// The last line was cut off: the program was killed while it wrote.
    public let isCut: Bool
    /// The recording ended because the file had its largest size.
    public let isFull: Bool

    let records: [(line: Int, record: TraceRecord)]

    /// Reads and replays a trace. It may come from anybody: whatever it is, nothing worse than an error comes of it.
    ///
    /// - Throws: `TraceError` of `FlicClient`: `damaged`, `newerVersion` or `tooLarge`.
    public init(_ data: Data) throws(TraceError) {
        let reader = try TraceReader(data)
        program = reader.program
        records = reader.records
        isCut = reader.isCut
        isFull = reader.records.last?.record.what == .full
        var frames: [UInt64: [UInt8]] = [:]
        var sessions: [Int: [ReplayedSession.Step]] = [:]
        for (line, record) in reader.records {
            switch record.what {
            case .received:
                guard let link = record.link, let frame = record.frameBytes else {
                    throw TraceError(.damaged, line: line, "it has no frame, or no link.")
                }
                frames[link] = frame
            case .session:
                guard let link = record.link, let session = record.session, let call = record.call, let actions = record.actions,
                    let time = record.time
                else { throw TraceError(.damaged, line: line, "it has no link, session, call or actions.") }
                let frame = call.name == .receive ? frames[link] : nil
                sessions[session, default: []].append(
                    ReplayedSession.Step(line: line, time: time, call: call, frame: frame, actions: actions)
                )
            default: break
            }
        }
        sessionCount = sessions.count
        var differences: [Difference] = []
        for (number, steps) in sessions { differences += try ReplayedSession.differences(number, steps) }
        self.differences = differences.sorted { ($0.line, $0.session) < ($1.line, $1.session) }
    }
}
