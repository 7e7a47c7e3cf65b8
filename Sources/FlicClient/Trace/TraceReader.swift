package import FoundationEssentials

/// The records of a trace. It may come from anybody: all of it is checked.
package struct TraceReader: Sendable {
    /// What is read, in bytes: twice what is usually written.
    package static let largestSize = 2 * TraceRecorder.usualLimit
    /// A longer line is damaged, in bytes.
    static let longestLine = 1 << 16

    /// The program that recorded.
    package let program: String
    /// With their line numbers.
    package let records: [(line: Int, record: TraceRecord)]
    /// The last line is cut: the program was killed while it wrote.
    package let isCut: Bool

    /// - Throws: ``TraceError`` `damaged`, `newerVersion` or `tooLarge`.
    package init(_ data: Data) throws(TraceError) {
        guard data.count <= Self.largestSize else {
            throw TraceError(.tooLarge, "The trace is larger than \(Self.largestSize >> 20) MiB.")
        }
        let decoder = JSONDecoder()
        var lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let last = lines.removeLast()  // empty, unless it is cut
        guard let first = lines.first, first.count <= Self.longestLine, let header = try? decoder.decode(TraceHeader.self, from: first),
            header.format == TraceHeader.name
        else { throw TraceError(.damaged, line: 1, "this is not the beginning of a trace.") }
        guard header.version <= TraceHeader.currentVersion else {
            throw TraceError(.newerVersion, "The trace is of version \(header.version); this program reads version \(TraceHeader.currentVersion).")
        }
        program = header.program
        var records: [(line: Int, record: TraceRecord)] = []
        for (index, line) in lines.enumerated().dropFirst() {
            guard line.count <= Self.longestLine else { throw TraceError(.damaged, line: index + 1, "it is longer than \(Self.longestLine) bytes.") }
            do {
                records.append((index + 1, try decoder.decode(TraceRecord.self, from: line)))
            } catch {
                throw TraceError(.damaged, line: index + 1, "it is no record of a trace (\("\(error)".prefix(200))).")
            }
            guard records.last?.record.time != nil else { throw TraceError(.damaged, line: index + 1, "its time is none of a loop.") }
        }
        self.records = records
        isCut = !last.isEmpty
    }
}
