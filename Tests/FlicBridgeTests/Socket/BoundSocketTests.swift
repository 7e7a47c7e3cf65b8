import FoundationEssentials
import Glibc
import Testing

@testable import FlicBridge

@Suite("The file of a daemon's socket")
struct BoundSocketTests {
    private func place(_ directory: TemporaryDirectory, isShared: Bool = false) throws -> SocketPlace {
        try SocketPlace(directory.path + "/flickit.sock", isShared: isShared)
    }

    private func mode(_ path: String) -> mode_t? {
        var file = stat()
        return lstat(path, &file) == 0 ? file.st_mode : nil
    }

    @Test("Only its owner, or also the group, may use it; it goes with its daemon, and so does the lock", arguments: [(false, 0o600), (true, 0o660)])
    func file(isShared: Bool, expected: mode_t) throws {
        let directory = try TemporaryDirectory()
        let place = try place(directory, isShared: isShared)
        var bound: BoundSocket? = try BoundSocket(place)
        #expect(mode(place.path) == S_IFSOCK | expected)
        #expect(mode(place.path + ".lock") == S_IFREG | 0o600)
        withExtendedLifetime(bound) {}
        bound = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test("What a daemon that has died has left is replaced")
    func remains() throws {
        let directory = try TemporaryDirectory()
        let place = try place(directory)
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #expect(place.withAddress { bind(dead, $0, $1) } == 0)
        close(dead)
        #expect(FileManager.default.createFile(atPath: place.path + ".lock", contents: nil))
        let bound = try BoundSocket(place)
        let visitor = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        #expect(place.withAddress { connect(visitor.number, $0, $1) } == 0)
        withExtendedLifetime(bound) {}
    }

    @Test("A daemon that lives is left alone, with and without a lock of its own")
    func living() throws {
        let directory = try TemporaryDirectory()
        let place = try place(directory)
        func refused() -> SocketError.Code? {
            do throws(SocketError) {
                _ = try BoundSocket(place)
                return nil
            } catch {
                #expect(error.description.contains(place.path))
                return error.code
            }
        }
        let first = try BoundSocket(place)
        #expect(refused() == .inUse)
        #expect(mode(place.path) == S_IFSOCK | 0o600 && mode(place.path + ".lock") != nil)
        unlink(place.path + ".lock")  // as if another program had made the socket
        #expect(refused() == .inUse)
        #expect(mode(place.path) == S_IFSOCK | 0o600 && mode(place.path + ".lock") == nil)
        withExtendedLifetime(first) {}
    }

    @Test("Whatever else is there is not removed")
    func others() throws {
        let directory = try TemporaryDirectory()
        let place = try place(directory)
        #expect(FileManager.default.createFile(atPath: place.path, contents: Data("text".utf8)))
        #expect(throws: SocketError(.failed, "\(place.path) is there already, and is not a socket.")) { _ = try BoundSocket(place) }
        #expect(FileManager.default.contents(atPath: place.path) == Data("text".utf8))
        let nowhere = try SocketPlace(directory.path + "/none/flickit.sock", isShared: false)
        #expect(throws: SocketError(.failed, "\(nowhere.path).lock cannot be made: No such file or directory.")) { _ = try BoundSocket(nowhere) }
    }

    @Test("A lock that is a link leads nowhere")
    func link() throws {
        let directory = try TemporaryDirectory()
        let place = try place(directory)
        #expect(symlink(directory.path + "/target", place.path + ".lock") == 0)
        #expect(throws: SocketError.self) { _ = try BoundSocket(place) }
        #expect(mode(directory.path + "/target") == nil)
    }

    @Test("A service manager's socket is taken if it is one, and stays when the daemon ends")
    func passed() throws {
        #expect(try BoundSocket(inherited: { _ in nil }) == nil)
        let ours = String(getpid())
        #expect(try BoundSocket(inherited: { ["LISTEN_PID": "1", "LISTEN_FDS": "1"][$0] }) == nil)
        #expect(try BoundSocket(inherited: { ["LISTEN_PID": ours, "LISTEN_FDS": "0"][$0] }) == nil)
        #expect(throws: SocketError.self) { _ = try BoundSocket(inherited: { ["LISTEN_PID": ours, "LISTEN_FDS": "2"][$0] }) }

        let directory = try TemporaryDirectory()
        let place = try place(directory)
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(place.withAddress { bind(number, $0, $1) } == 0)
        #expect(throws: SocketError.self) { _ = try BoundSocket(passed: number) }  // does not listen
        #expect(listen(number, 1) == 0)
        var bound: BoundSocket? = try BoundSocket(passed: number)
        #expect(fcntl(number, F_GETFD) == FD_CLOEXEC && fcntl(number, F_GETFL) & O_NONBLOCK != 0)
        withExtendedLifetime(bound) {}
        bound = nil
        #expect(mode(place.path) != nil)
    }

    @Test("A descriptor that is no such socket is refused and left open")
    func notPassed() throws {
        let packets = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #expect(throws: SocketError.self) { _ = try BoundSocket(passed: packets) }
        #expect(close(packets) == 0)
    }
}

@Suite("Where a daemon's socket is")
struct SocketPlaceTests {
    private func place(_ environment: [String: String], configured: String? = nil) throws -> SocketPlace {
        try SocketPlace(configured: configured) { environment[$0] }
    }

    @Test("systemd's directory, else the user's; the configuration wins")
    func daemon() throws {
        #expect(try place(["RUNTIME_DIRECTORY": "/run/flickit:/run/other"]) == SocketPlace("/run/flickit/flickit.sock", isShared: true))
        #expect(try place(["XDG_RUNTIME_DIR": "/run/user/1"]) == SocketPlace("/run/user/1/flickit.sock", isShared: false))
        let user = ["XDG_RUNTIME_DIR": "/run/user/1", "RUNTIME_DIRECTORY": "/run/user/1/flickit"]
        #expect(try place(user) == SocketPlace("/run/user/1/flickit/flickit.sock", isShared: false))
        #expect(try place(user, configured: "/tmp/s") == SocketPlace("/tmp/s", isShared: false))
        #expect(try place(["RUNTIME_DIRECTORY": "/run/flickit"], configured: "/tmp/s").mode == 0o660)
        #expect(throws: SocketError.self) { try place(["XDG_RUNTIME_DIR": "relative"]) }
        #expect(throws: SocketError.self) { try place([:]) }
    }

    @Test("Programs look where a daemon of the user may be, then where the system's is")
    func usual() {
        #expect(SocketPlace.usual { _ in nil } == ["/run/flickit/flickit.sock"])
        #expect(
            SocketPlace.usual { ["XDG_RUNTIME_DIR": "/run/user/1"][$0] } == [
                "/run/user/1/flickit.sock", "/run/user/1/flickit/flickit.sock", "/run/flickit/flickit.sock",
            ]
        )
    }

    @Test("A path has room in the system's address, or is refused", arguments: [0, 1, 107, 108, 100_000])
    func length(count: Int) throws {
        let path = String(repeating: "x", count: count)
        if (1...107).contains(count) {
            #expect(try SocketPlace(path, isShared: false).path == path)
        } else {
            #expect(throws: SocketError.self) { try SocketPlace(path, isShared: false) }
        }
        #expect(throws: SocketError.self) { try SocketPlace("a\0b", isShared: false) }
    }
}
