import BlueZ
import Foundation
import Testing

@testable import CoreBluetooth
@testable import FaultMatrix

extension OverTheAirTests {
    /// L2CAP channels from one adapter to another, through the kernel and virtual radios.
    @Suite("L2CAP channels")
    struct Channels {
        /// Ten megabytes where there is time: `FLICKIT_LONG=1`.
        @Test("D103, D105: megabytes each way, read slowly, arrive as they were", .timeLimit(.minutes(15)))
        func bulk() async throws {
            let stage = try await ChannelStage()
            let total = ProcessInfo.processInfo.environment["FLICKIT_LONG"] == nil ? 2_500_000 : 10_000_000
            for isUp in [true, false] {
                try await KernelMiscount.despite {
                    let (near, far) = try await stage.channels()
                    let (sender, receiver) = isUp ? (far, near) : (near, far)
                    return await sender.transfer(total, to: receiver, isSlow: true) == total
                }
                try await KernelMiscount.despite {
                    let (near, far) = try await stage.channels()
                    let (sender, receiver) = isUp ? (far, near) : (near, far)
                    return await sender.transfer(1_000_000, to: receiver) == 1_000_000
                }
            }
            await stage.end()
        }

        @Test("Both ways at once", .timeLimit(.minutes(10)))
        func bothWays() async throws {
            let stage = try await ChannelStage()
            try await KernelMiscount.despite {
                let (near, far) = try await stage.channels()
                async let first = near.transfer(1_000_000, to: far)
                async let second = far.transfer(1_000_000, to: near)
                return await (first, second) == (1_000_000, 1_000_000)
            }
            await stage.end()
        }

        @Test("What was written before the close arrives, and then the end", .timeLimit(.minutes(5)))
        func lastWords() async throws {
            let stage = try await ChannelStage()
            let (near, far) = try await stage.channels()
            async let received = far.receive(1_000_000)
            #expect(await near.send(30_000) == 30_000)
            near.close()
            #expect(await received == 30_000)
            #expect(far.input.streamStatus == .atEnd && far.input.streamError == nil)
            await stage.end()
        }

        @Test("Nobody listens at a number: refused", .timeLimit(.minutes(5)))
        func wrongNumber() async throws {
            let stage = try await ChannelStage()
            await #expect(throws: L2CAPError.failed(call: "connect", errno: ECONNREFUSED)) {
                _ = try await L2CAPSocket.connect(to: ChannelStage.listening, psm: stage.psm + 1, from: ChannelStage.connecting)
            }
            await stage.end()
        }

        @Test("D101: encryption required, and the central does not pair: refused at both ends", .timeLimit(.minutes(5)))
        func encryption() async throws {
            let stage = try await ChannelStage(requiresEncryption: true)
            let error = await #expect(throws: L2CAPError.self) {
                _ = try await L2CAPSocket.connect(to: ChannelStage.listening, psm: stage.psm, from: ChannelStage.connecting)
            }
            Rig.note("encryption refused: \(error.map { "\($0)" } ?? "")")
            #expect(stage.acceptedCount == 0)
            await stage.end()
        }

        @Test("The central is out of range: both ends fail with ETIMEDOUT", .timeLimit(.minutes(5)))
        func outOfRange() async throws {
            let stage = try await ChannelStage()
            let (near, far) = try await stage.channels()
            try Rig.radio("range 1 off")
            for channel in [near, far] {
                #expect(await channel.readToEnd() == [])
                #expect(channel.input.streamStatus == .error && channel.output.streamStatus == .error)
                #expect((channel.input.streamError as NSError?)?.code == Int(ETIMEDOUT))
            }
            try Rig.radio("range 1 on")
            await stage.end()
        }

        @Test("D108: Bluetooth is switched off: ECONNABORTED; the listener is there again, with its number, when it is on", .timeLimit(.minutes(5)))
        func power() async throws {
            let stage = try await ChannelStage()
            let (near, far) = try await stage.channels()
            await Machine.setPower("hci0", false)
            #expect(await near.readToEnd() == [])
            #expect((near.input.streamError as NSError?)?.code == Int(ECONNABORTED))
            #expect((near.output.streamError as NSError?)?.code == Int(ECONNABORTED))
            #expect(await far.readToEnd() == [])
            Rig.note("power off: the central sees \(far.input.streamError.map { "\($0)" } ?? "the end")")
            await Machine.setPower("hci0", true)
            let (again, other) = try await stage.channels()
            #expect(await other.transfer(1000, to: again) == 1000)
            #expect(stage.failures.isEmpty)
            await stage.end()
        }

        @Test("The listener is closed: open channels stay, new ones are refused; a closed channel ends at the other end", .timeLimit(.minutes(5)))
        func unpublish() async throws {
            let stage = try await ChannelStage()
            let (near, far) = try await stage.channels()
            stage.closeListener()
            await #expect(throws: L2CAPError.failed(call: "connect", errno: ECONNREFUSED)) {
                _ = try await L2CAPSocket.connect(to: ChannelStage.listening, psm: stage.psm, from: ChannelStage.connecting)
            }
            #expect(await near.transfer(1000, to: far) == 1000)
            near.close()
            #expect(await far.readToEnd() == [])
            #expect(far.input.streamStatus == .atEnd && far.input.streamError == nil)
            await stage.end()
        }

        @Test("Fifty channels one after another leave no descriptor behind", .timeLimit(.minutes(10)))
        func fifty() async throws {
            let stage = try await ChannelStage()
            let before = await Self.settledDescriptors(limit: 0)
            for number in 0..<50 {
                let (near, far) = try await stage.channels()
                #expect(await far.transfer(100, to: near) == 100)
                // Closed at this end or the other, or let go.
                if number % 3 < 2 { (number % 3 == 0 ? near : far).close() }
            }
            Rig.note("50 channels")
            let after = await Self.settledDescriptors(limit: before.count)
            #expect(after.count <= before.count, "before: \(before); after: \(after)")
            await stage.end()
        }

        @Test("D100, D102: the numbers of an address run out, and are free again once their listeners are closed", .timeLimit(.minutes(5)))
        func allNumbers() async throws {
            var listeners: [L2CAPListener] = []
            let error = #expect(throws: L2CAPError.self) {
                while listeners.count <= 128 {
                    let listener = try L2CAPListener(
                        address: ChannelStage.listening,
                        requiresEncryption: false,
                        accepted: { _ in },
                        failed: { _ in }
                    )
                    listeners.append(listener)
                }
            }
            #expect(error == .noFreePSM)
            #expect(Set(listeners.map(\.psm)).count == listeners.count && listeners.allSatisfy { (0x80...0xFF).contains($0.psm) })
            #expect(listeners.count == 128)
            // Each address has its own.
            let other = try L2CAPListener(address: ChannelStage.connecting, requiresEncryption: false, accepted: { _ in }, failed: { _ in })
            #expect((0x80...0xFF).contains(other.psm))
            let program = ServingProgram()
            #expect(await program.next() == "state poweredOn")
            program.manager.publishL2CAPChannel(withEncryption: false)
            #expect(await program.next() == "channel, \(CBError.Code.outOfSpace.rawValue)")
            for listener in listeners { listener.close() }
            while true {
                // The kernel's sockets go a moment after the last source is done with them.
                if let listener = try? L2CAPListener(
                    address: ChannelStage.listening,
                    requiresEncryption: false,
                    accepted: { _ in },
                    failed: { _ in }
                ) {
                    listener.close()
                    break
                }
                await Task.yield()
            }
        }

        /// What the open descriptors are, once there are no more than `limit` or nothing has changed that for a while.
        private static func settledDescriptors(limit: Int) async -> [String] {
            var names: [String] = []
            for _ in 0..<30 {
                // Before the first look, too: the first timer of a process has a descriptor of its own.
                try? await Task.sleep(for: .milliseconds(100))
                let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
                names = numbers.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }.sorted()
                if names.count <= limit { break }
            }
            return names
        }
    }
}
