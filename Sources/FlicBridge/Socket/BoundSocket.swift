import CSockets
package import EventLoops
import Glibc

/// A socket that listens, and the file at which it can be found.
///
/// | file | |
/// | --- | --- |
/// | the path | the socket. That of a daemon that has died is replaced |
/// | the path with `.lock` behind | locked as long as the daemon lives, so that of two that start at once only one replaces the other's |
///
/// Both are removed when the object goes.
package final class BoundSocket: Sendable {
    /// Connections that wait to be accepted.
    private static let backlog: Int32 = 64

    package let descriptor: Descriptor
    /// Nil if somebody else has made the socket, and removes it.
    private let lock: Lock?

    /// Binds and listens.
    ///
    /// - Throws: ``SocketError`` `inUse` if somebody listens there, `denied`, or `failed`.
    package init(_ place: SocketPlace) throws(SocketError) {
        let lock = try Lock(place.path)
        try Self.removeRemains(of: place)
        descriptor = try Self.listen(at: place)
        lock.isBound = true
        self.lock = lock
    }

    /// Takes the socket that systemd has made (sd_listen_fds(3)); it does not block, and is not passed on.
    ///
    /// - Parameter environment: The value of a variable.
    /// - Returns: Nil if there is none for this process.
    /// - Throws: ``SocketError`` `failed` if it is no Unix stream socket that listens, or there are several.
    package convenience init?(inherited environment: (String) -> String?) throws(SocketError) {
        guard environment("LISTEN_PID").flatMap({ Int32($0) }) == getpid(), let count = environment("LISTEN_FDS").flatMap({ Int($0) }), count > 0
        else {
            return nil
        }
        guard count == 1 else { throw SocketError(.failed, "The service manager has passed \(count) sockets, where one is expected.") }
        try self.init(passed: 3)
    }

    /// - Parameter number: Of a descriptor that was passed to this process; it is closed by this object from now on.
    init(passed number: Int32) throws(SocketError) {
        func option(_ name: Int32) -> Int32 {
            var value: Int32 = -1
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(number, SOL_SOCKET, name, &value, &size) == 0 ? value : -1
        }
        guard option(SO_DOMAIN) == AF_UNIX, option(SO_TYPE) == Int32(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN) == 1 else {
            throw SocketError(.failed, "What the service manager has passed is not a Unix stream socket that listens.")
        }
        guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0, fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0 else {
            throw SocketError(errno: errno, "The socket of the service manager cannot be used")
        }
        descriptor = Descriptor(number)
        lock = nil
    }

    /// Takes away what a daemon that has died has left.
    private static func removeRemains(of place: SocketPlace) throws(SocketError) {
        var file = stat()
        guard lstat(place.path, &file) == 0 else {
            guard errno == ENOENT else { throw SocketError(errno: errno, "\(place.path) cannot be looked at") }
            return
        }
        guard file.st_mode & S_IFMT == S_IFSOCK else { throw SocketError(.failed, "\(place.path) is there already, and is not a socket.") }
        let probe = try place.makeSocket()
        if place.withAddress({ connect(probe.number, $0, $1) }) == 0 || errno == EAGAIN { throw SocketError.inUse(place.path) }
        guard errno == ECONNREFUSED else { throw SocketError(errno: errno, "\(place.path) cannot be tried") }
        guard unlink(place.path) == 0 || errno == ENOENT else { throw SocketError(errno: errno, "The remains at \(place.path) cannot be removed") }
    }

    private static func listen(at place: SocketPlace) throws(SocketError) -> Descriptor {
        let descriptor = try place.makeSocket()
        // The file has the mode of the socket less the umask: nobody else can connect before it is as it should be.
        guard fchmod(descriptor.number, place.mode) == 0, place.withAddress({ bind(descriptor.number, $0, $1) }) == 0 else {
            throw SocketError(errno: errno, "A socket cannot be made at \(place.path)")
        }
        guard chmod(place.path, place.mode) == 0, Glibc.listen(descriptor.number, backlog) == 0 else {
            let error = SocketError(errno: errno, "The socket at \(place.path) cannot be used")
            unlink(place.path)
            throw error
        }
        return descriptor
    }
}

/// The lock beside a socket.
private final class Lock: @unchecked Sendable {
    private let path: String
    private let descriptor: Descriptor
    /// Whether the socket is ours, too. Set once, before the object is shared.
    var isBound = false

    private var lockPath: String { path + ".lock" }

    init(_ path: String) throws(SocketError) {
        self.path = path
        let lockPath = path + ".lock"
        for _ in 0..<16 {
            let number = open(lockPath, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard number >= 0 else { throw SocketError(errno: errno, "\(lockPath) cannot be made") }
            let descriptor = Descriptor(number)
            guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
                throw errno == EWOULDBLOCK ? SocketError.inUse(path) : SocketError(errno: errno, "\(lockPath) cannot be locked")
            }
            // Another one may have removed the file meanwhile: then the lock is worth nothing.
            var (mine, present) = (stat(), stat())
            if fstat(number, &mine) == 0, stat(lockPath, &present) == 0, mine.st_ino == present.st_ino, mine.st_dev == present.st_dev {
                self.descriptor = descriptor
                return
            }
        }
        throw SocketError.inUse(path)
    }

    deinit {
        if isBound { unlink(path) }
        unlink(lockPath)
    }
}

extension SocketError {
    fileprivate static func inUse(_ path: String) -> SocketError {
        SocketError(.inUse, "Another program listens at \(path): a daemon is running already.")
    }

    /// - Parameter attempt: What was attempted, without a full stop.
    init(errno number: Int32, _ attempt: String) {
        let code: Code = number == EACCES || number == EPERM ? .denied : .failed
        self.init(code, "\(attempt): \(String(cString: strerror(number))).")
    }
}
