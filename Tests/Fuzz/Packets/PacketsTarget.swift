import Fixtures
import FlicProtocol
import FuzzInput

// What is read from any body is written as it was, and read the same again: all packets of Flic 2, Duo and Twist in both directions.
//
// Input: the number of the packet, then its payload.

private let catalogs = [
    PacketCatalog.toButton, PacketCatalog.fromButton,
    PacketCatalog.duoToButton, PacketCatalog.duoFromButton,
    PacketCatalog.twistToButton, PacketCatalog.twistFromButton,
]

private let checks: [(opcode: UInt8, run: @Sendable ([UInt8]) -> Void)] = catalogs.joined().map { check($0) }

private func check<P: Packet>(_ type: P.Type) -> (UInt8, @Sendable ([UInt8]) -> Void) {
    let run = { @Sendable (body: [UInt8]) in
        guard let packet = P(body: body.span) else { return }
        let written = packet.body
        // Bytes behind the last known field are lost.
        hold(written.count <= body.count && body.starts(with: written), "\(P.self): \(body) is written as \(written)")
        hold(P(body: written.span) == packet, "\(P.self): \(written) is read as something else than \(body)")
    }
    return (P.opcode, run)
}

@_cdecl("LLVMFuzzerTestOneInput")
package func run(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let check = checks[Int(input.byte()) % checks.count]
    check.run([check.opcode] + input.rest())
    return 0
}

@_cdecl("LLVMFuzzerInitialize")
package func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    writeSeeds {
        let vectors = JSONValue.vectors("packets")
        let bodies = ["flic2", "duo", "twist"].flatMap { vectors[$0].array }.flatMap { [$0.too_short] + $0.cases.array.map(\.body) }.compactMap(
            \.bytes
        )
        return bodies.flatMap { body in
            checks.indices.filter { checks[$0].opcode == body.first }.map { [UInt8($0)] + body.dropFirst() }
        }
    }
}
