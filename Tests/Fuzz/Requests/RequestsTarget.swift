import FoundationEssentials
import FuzzInput

@testable import FlicBridge

// What programs write to the daemon's socket: the lines are the same whatever the pieces, and too long ones end it; each line is a request that can be
// written and read again, or refused with a sentence.
//
// Input: a limit, the size of pieces, then bytes.

private func lines(of bytes: [UInt8], limit: Int, pieces size: Int) -> (lines: [[UInt8]], rest: [UInt8]?) {
    var buffer = LineBuffer(longestLine: limit)
    var lines: [[UInt8]] = []
    do throws(LineBuffer.TooLong) {
        for start in stride(from: 0, to: bytes.count, by: size) {
            buffer.add(Array(bytes[start..<min(start + size, bytes.count)]))
            while let line = try buffer.next() { lines.append(line) }
            hold(buffer.count <= limit, "\(buffer.count) bytes are kept")
        }
        return (lines, buffer.takeRest())
    } catch {
        return (lines, nil)
    }
}

private func check(_ line: [UInt8]) {
    do throws(BridgeRequest.Unreadable) {
        let request = try BridgeRequest(line)
        guard let written = try? JSONEncoder().encode(request) else { return hold(false, "\(request) cannot be written") }
        hold((try? BridgeRequest(Array(written))) == request, "\(request) is read again as something else")
    } catch {
        hold(!error.refusal.message.isEmpty && error.refusal.message.utf8.count < 2000, "\(error.refusal)")
        hold(!error.refusal.message.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(error.refusal)")
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
package func run(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let limit = 4 * Int(input.byte())
    let size = Int(input.byte()) + 1
    let bytes = input.rest()
    let whole = lines(of: bytes, limit: limit, pieces: max(bytes.count, 1))
    let cut = lines(of: bytes, limit: limit, pieces: size)
    hold(cut.lines == whole.lines && cut.rest == whole.rest, "in pieces of \(size): \(cut), not \(whole)")
    for line in whole.lines { check(line) }
    return 0
}

@_cdecl("LLVMFuzzerInitialize")
package func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    writeSeeds {
        let requests = [
            #"{"request":"ping","id":-7}"#, #"{"request":"subscribe","buttons":["x"],"events":["click"]}"#,
            #"{"request":"pair","name":"Lamp","timeout":30.5}"#,
            #"{"request":"mode","button":"x","mode":"all","doubleClickTime":0.5,"holdTime":1,"tripleClick":true}"#,
            #"{"request":"queue","button":"x","policy":"10 s"}"#, #"{"request":"autoDisconnect","button":"x","seconds":40}"#,
        ]
        return (requests + [requests.joined(separator: "\r\n")]).flatMap { text in [3, 255].map { [255, $0] + Array((text + "\n").utf8) } }
    }
}
