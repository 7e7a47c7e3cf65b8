import CSockets
import EventLoops
import Glibc

/// Where the socket of a daemon is, and who may use it.
package struct SocketPlace: Hashable, Sendable {
    /// What the system has room for, in bytes.
    private static let longestPath = 107
    private static let name = "flickit.sock"

    package let path: String
    /// Of the file: 0660 or 0600.
    package let mode: UInt32

    /// - Parameters:
    ///   - path: At most 107 bytes.
    ///   - isShared: Whether the group of the daemon may use it, too; others never may.
    /// - Throws: ``SocketError`` `invalidPath`.
    package init(_ path: String, isShared: Bool) throws(SocketError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw SocketError(.invalidPath, "The path of a socket must not be empty.") }
        guard path.utf8.count <= Self.longestPath else {
            throw SocketError(.invalidPath, "The path \(path) is too long for a socket: \(path.utf8.count) bytes, not \(Self.longestPath) at most.")
        }
        self.path = path
        mode = isShared ? 0o660 : 0o600
    }

    /// Where a daemon offers its socket: in `$RUNTIME_DIRECTORY` (set by systemd), else in `$XDG_RUNTIME_DIR`.
    ///
    /// It is shared with the group where systemd's directory is not that of a user.
    ///
    /// - Parameters:
    ///   - path: The one in the configuration, if there is one.
    ///   - environment: The value of a variable.
    /// - Throws: ``SocketError`` `invalidPath`, also if neither of the variables says where.
    package init(configured path: String? = nil, environment: (String) -> String?) throws(SocketError) {
        let user = Self.directory("XDG_RUNTIME_DIR", environment)
        let runtime = Self.directory("RUNTIME_DIRECTORY", environment)
        guard let path = path ?? (runtime ?? user).map({ "\($0)/\(Self.name)" }) else {
            throw SocketError(
                .invalidPath,
                "Neither the configuration, RUNTIME_DIRECTORY nor XDG_RUNTIME_DIR says where the daemon's socket is to be."
            )
        }
        let isSystem = runtime.map { runtime in user.map { !runtime.hasPrefix($0 + "/") } ?? true } ?? false
        try self.init(path, isShared: isSystem)
    }

    /// Where programs look for a daemon, in this order: the user's, then the system's.
    package static func usual(environment: (String) -> String?) -> [String] {
        let user = directory("XDG_RUNTIME_DIR", environment).map { ["\($0)/\(name)", "\($0)/flickit/\(name)"] } ?? []
        return user + ["/run/flickit/\(name)"]
    }

    /// The first of a list of directories; both specifications have relative ones ignored.
    private static func directory(_ variable: String, _ environment: (String) -> String?) -> String? {
        guard let first = environment(variable)?.split(separator: ":").first, first.hasPrefix("/") else { return nil }
        return String(first)
    }

    /// A new socket, for either side; it does not block.
    func makeSocket() throws(SocketError) -> Descriptor {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw SocketError(errno: errno, "There is no socket to be had for \(path)") }
        return Descriptor(number)
    }

    /// Calls `body` with the address for the system.
    func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
