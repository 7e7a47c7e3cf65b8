import BlueZ
import Testing

@testable import CoreBluetooth

extension OverTheAirTests.Channels {
    @Test("D20, D39, D104, D107: a program publishes a channel, sends back what a central writes, and unpublishes", .timeLimit(.minutes(5)))
    func manager() async throws {
        let program = EchoProgram()
        var calls = program.calls.makeAsyncIterator()
        guard case .published(let psm) = await calls.next() else {
            Issue.record("not published")
            return
        }
        #expect((0x80...0xFF).contains(psm))
        let far = OpenChannel(try await L2CAPSocket.connect(to: ChannelStage.listening, psm: psm, from: ChannelStage.connecting))
        #expect(await calls.next() == .opened(central: CBCentral(address: ChannelStage.connecting, mtu: 23).identifier))
        async let sent = far.send(200_000)
        #expect(await far.receive(200_000) == 200_000)
        #expect(await sent == 200_000)
        program.unpublish(psm)
        let last = [await calls.next(), await calls.next()]
        #expect(last.contains(.unpublished(psm)) && last.contains(.ended))
        #expect(await far.readToEnd() == [])
        program.unpublish(psm)
        guard case .failed = await calls.next() else {
            Issue.record("unpublished twice")
            return
        }
    }
}
