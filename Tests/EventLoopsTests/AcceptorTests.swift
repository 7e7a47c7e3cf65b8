import FlicSimulator
import Glibc
import Synchronization
import Testing

@testable import EventLoops

@Suite("Accepting connections", .timeLimit(.minutes(1)))
struct AcceptorTests {
    /// A socket that listens, at a name of the kernel's choice that no file has.
    private struct Door {
        let descriptor: Descriptor
        private var address = sockaddr_un()
        private var size = socklen_t(MemoryLayout<sockaddr_un>.size)

        init() throws {
            let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
            let number = socket(AF_UNIX, kind | Int32(SOCK_NONBLOCK.rawValue), 0)
            try #require(number >= 0)
            descriptor = Descriptor(number)
            address.sun_family = sa_family_t(AF_UNIX)
            var bare = socklen_t(MemoryLayout<sa_family_t>.size)
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    try #require(bind(number, address, bare) == 0)
                    bare = socklen_t(MemoryLayout<sockaddr_un>.size)
                    try #require(getsockname(number, address, &bare) == 0)
                }
            }
            size = bare
            try #require(listen(number, 512) == 0)
        }

        struct Refused: Error, Equatable {
            let errno: Int32
        }

        /// A connection's other end.
        func knock() throws -> Descriptor {
            let number = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
            try #require(number >= 0)
            let descriptor = Descriptor(number)
            var address = address
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(number, $0, size) }
            }
            guard result == 0 else { throw Refused(errno: errno) }
            return descriptor
        }
    }

    @Test("Hundreds of connections at once are all accepted")
    func many() async throws {
        let door = try Door()
        let visitors = try (0..<300).map { _ in try door.knock() }
        let (connections, came) = AsyncStream.makeStream(of: Descriptor.self)
        let acceptor = Acceptor(door.descriptor, on: DispatchLoop(), accepted: { came.yield($0) }, failed: { _ in came.finish() })
        var accepted: [Descriptor] = []
        for await connection in connections {
            accepted.append(connection)
            if accepted.count == visitors.count { break }
        }
        #expect(Set(accepted.map(\.number)).count == 300)
        acceptor.close()
    }

    @Test("When the system has no room it says so once, tries again now and then, and goes on", arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func shortage(number: Int32) async throws {
        let clock = VirtualLoop(label: "test")
        let door = try Door()
        let calls = Mutex(0)
        let isFull = Mutex(true)
        let (failures, failed) = AsyncStream.makeStream(of: Int32.self)
        let (connections, came) = AsyncStream.makeStream(of: Descriptor.self)
        let acceptor = Acceptor(
            door.descriptor,
            on: clock.makeLoop(),
            accept: { descriptor in
                calls.withLock { $0 += 1 }
                guard isFull.withLock({ $0 }) else { return Acceptor.accept(descriptor) }
                errno = number
                return -1
            },
            accepted: { came.yield($0) },
            failed: { failed.yield($0) }
        )
        let visitor = try door.knock()
        for await error in failures {
            #expect(error == number)
            break
        }
        await clock.advance(by: Acceptor.pause * 3)
        #expect(calls.withLock { $0 } == 4, "once, and once after each pause")
        isFull.withLock { $0 = false }
        await clock.advance(by: Acceptor.pause)
        for await _ in connections { break }
        // The next shortage is told again.
        isFull.withLock { $0 = true }
        let second = try door.knock()
        for await error in failures {
            #expect(error == number)
            break
        }
        acceptor.close()
        withExtendedLifetime((visitor, second)) {}
    }

    @Test("Connections that are gone before they are accepted do no harm; a socket that does not listen is told and left alone")
    func odd() async throws {
        let door = try Door()
        let gone = Mutex(3)
        let (connections, came) = AsyncStream.makeStream(of: Descriptor.self)
        let acceptor = Acceptor(
            door.descriptor,
            on: DispatchLoop(),
            accept: { descriptor in
                let isGone = gone.withLock { gone in
                    gone -= 1
                    return gone >= 0
                }
                guard isGone else { return Acceptor.accept(descriptor) }
                errno = ECONNABORTED
                return -1
            },
            accepted: { came.yield($0) },
            failed: { _ in came.finish() }
        )
        let visitor = try door.knock()
        #expect(await connections.first { _ in true } != nil)
        acceptor.close()
        withExtendedLifetime(visitor) {}

        let (near, far) = try #require(PacketSocket.pair())
        let (failures, failed) = AsyncStream.makeStream(of: Int32.self)
        let deaf = Acceptor(Descriptor(near), on: DispatchLoop(), accepted: { _ in }, failed: { failed.yield($0) })
        #expect(send(far, [1], 1, 0) == 1)
        #expect(await failures.first { _ in true } == EINVAL)
        Glibc.close(far)
        deaf.close()
    }

    @Test("Closed, it refuses everything from then on")
    func closed() async throws {
        let door = try Door()
        let acceptor = Acceptor(door.descriptor, on: DispatchLoop(), accepted: { _ in }, failed: { _ in })
        _ = try door.knock()
        acceptor.close()
        #expect(throws: Door.Refused(errno: ECONNREFUSED)) { _ = try door.knock() }
    }
}
