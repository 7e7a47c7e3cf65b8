import BlueZ
import Fixtures
import Foundation
import GATT
import Testing

@testable import CoreBluetooth
@testable import FaultMatrix

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

    @Test("D109: a central learns the number from the characteristic that there is for it, and opens the channel", .timeLimit(.minutes(2)))
    func number() async throws {
        let program = EchoProgram()
        guard case .published(let psm) = await program.next() else {
            Issue.record("not published")
            return
        }
        program.tell(psm)
        #expect(await program.next() == .added)
        let central = try await RawCentral()
        try await central.connect()
        let value = try await central.do("read ABDD3056-28FA-441D-A470-55A75A52553A").value ?? ""
        let bytes = try #require([UInt8](hex: value))
        let read = bytes.reversed().reduce(CBL2CAPPSM(0)) { $0 << 8 + CBL2CAPPSM($1) }
        #expect(bytes.count == 2 && read == psm)
        try await central.do("channel \(read)")
        #expect(await program.next() == Self.opened(by: central.address))
        #expect(try await central.do("exchange 010203").value == "010203")
    }

    @Test("D106: a channel ends with the second of its streams, not with the first; and when the program lets it go", .timeLimit(.minutes(2)))
    func ends() async throws {
        let stage = try await ChannelStage()
        for isInputFirst in [true, false] {
            let (near, far) = try await stage.channels()
            if isInputFirst {
                near.input.close()
                #expect(await near.transfer(1000, to: far) == 1000)
                near.output.close()
            } else {
                near.output.close()
                #expect(await far.transfer(1000, to: near) == 1000)
                near.input.close()
            }
            #expect(await far.readToEnd() == [])
            #expect(far.input.streamStatus == .atEnd)
        }
        let far: OpenChannel
        do {
            let near: OpenChannel
            (near, far) = try await stage.channels()
            #expect(await near.transfer(1000, to: far) == 1000)
        }
        #expect(await far.readToEnd() == [])
        #expect(far.input.streamStatus == .atEnd)
        await stage.end()
    }

    @Test(
        "D20, D101, D104: a channel that needs encryption opens once the link is encrypted, and a megabyte each way arrives as it was",
        .timeLimit(.minutes(5))
    )
    func encrypted() async throws {
        let program = EchoProgram(requiresEncryption: true)
        guard case .published(let psm) = await program.next() else {
            Issue.record("not published")
            return
        }
        // One that has never heard of the others.
        let stranger = try await RawCentral()
        try await stranger.do("connect \(ChannelStage.listening)")
        let refusal = try await stranger.code("channel \(psm)")
        #expect([0x05, 0x08].contains(refusal), "insufficient authentication, or encryption: \(refusal)")
        let agent = try await PairingAgent(for: ChannelStage.listening)
        try await stranger.do("pair")
        try await stranger.do("channel \(psm)")
        #expect(await program.next() == Self.opened(by: stranger.address))
        #expect(try await stranger.do("exchange 0102030405").value == "0102030405")
        try await stranger.do("disconnect")
        #expect(await program.next() == .ended)

        try await KernelMiscount.despite {
            let far = OpenChannel(try await L2CAPSocket.connect(to: ChannelStage.listening, psm: psm, from: ChannelStage.connecting))
            while let call = await program.next(), call != Self.opened(by: ChannelStage.connecting) { #expect(call == .ended) }
            let start = ContinuousClock.now
            async let sent = far.send(1_000_000)
            let received = await far.receive(1_000_000)
            Rig.note("a megabyte each way, encrypted: \(start.duration(to: .now))")
            return await sent == 1_000_000 && received == 1_000_000
        }
        withExtendedLifetime((agent, program)) {}
        // Others are to meet as strangers.
        for address in [stranger.address, ChannelStage.connecting] { await Machine.remove("\(address)", from: "hci0") }
        await Machine.remove("\(ChannelStage.listening)", from: "hci1")
    }

    private static func opened(by central: BluetoothAddress) -> EchoProgram.Call {
        .opened(central: CBCentral(address: central, mtu: 23).identifier)
    }
}
