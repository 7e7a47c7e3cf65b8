import EventLoops
import Glibc

/// A terminal without a screen: what other programs open like a serial port.
///
/// Its far side is kept open here as well, so that it lives on when the last program closes it, and what it holds then is there for the next.
final class PseudoTerminal: Sendable {
    /// What other programs open.
    let path: String
    /// What they have written.
    let reader: ByteReader
    /// What they will read.
    let writer: ByteWriter

    private let far: Descriptor

    /// - Throws: Why the system gives none.
    init() throws(Failure) {
        var (master, slave): (Int32, Int32) = (-1, -1)
        guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw Self.failure }
        let near = Descriptor(master)
        far = Descriptor(slave)
        for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var name = [CChar](repeating: 0, count: 256)
        guard ttyname_r(slave, &name, name.count) == 0 else { throw Self.failure }
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        reader = ByteReader(near)
        writer = ByteWriter(near)
        // Bytes as they are: no echo, no line editing, no change of line ends.
        var settings = termios()
        guard tcgetattr(far.number, &settings) == 0 else { throw Self.failure }
        cfmakeraw(&settings)
        guard tcsetattr(far.number, TCSANOW, &settings) == 0 else { throw Self.failure }
    }

    private static var failure: Failure {
        let code: ExitCode = errno == EACCES || errno == EPERM ? .denied : .failed
        return Failure(code, "noTerminal", "The system gives no pseudo-terminal: \(String(cString: strerror(errno))).")
    }
}
