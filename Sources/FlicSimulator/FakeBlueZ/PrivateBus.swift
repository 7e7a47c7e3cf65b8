public import DBus
import Glibc
import Synchronization

/// A D-Bus of one's own: a `dbus-daemon` that everybody may use for everything and that starts no services, unless told otherwise. It ends
/// with this object, at the latest.
///
/// ```swift
/// let bus = try PrivateBus()
/// let connection = DBusConnection(bus.address, loop: loop)
/// ```
public final class PrivateBus: Sendable {
    /// Why there is no bus.
    public struct Failure: Error, CustomStringConvertible {
        /// For people.
        public let description: String
    }

    /// Where the bus listens, also after it was stopped and started again.
    public let address: BusAddress

    /// What is different from a bus that everybody may use for everything.
    public struct Rules: Sendable, Equatable {
        /// Names that nobody may call.
        public var forbidden: [String] = []
        /// Programs that are started for whoever calls a name: path and arguments, by name.
        public var services: [String: String] = [:]
        /// How many connections each user may have.
        public var connections = 256

        /// No difference.
        public init() {}
    }

    private let program: String
    private let directory: String
    private let services: [String]
    private let process = Mutex<pid_t?>(nil)

    /// Starts the daemon and waits, some milliseconds, until it listens.
    ///
    /// - Parameters:
    ///   - program: The daemon, by its path or looked up in `PATH`.
    ///   - rules: Who may do what.
    /// - Throws: ``Failure`` if the program is missing (Debian: package `dbus-daemon`) or does not start.
    public init(program: String = "dbus-daemon", rules: Rules = Rules()) throws(Failure) {
        self.program = program
        directory = try Self.makeDirectory()
        services = rules.services.keys.map { $0 + ".service" }
        let path = Self.escaped(directory + "/bus")
        address = .address("unix:path=\(path)")
        try Self.write(Self.configuration(of: directory, socket: path, rules), to: directory + "/bus.conf")
        for (name, command) in rules.services {
            try Self.write("[D-BUS Service]\nName=\(name)\nExec=\(command)\n", to: "\(directory)/\(name).service")
        }
        try start()
    }

    deinit {
        stop()
        for file in ["bus.conf", "log"] + services { unlink("\(directory)/\(file)") }
        rmdir(directory)
    }

    /// Starts the daemon anew, at the same address, and waits until it listens. Without effect if it runs.
    ///
    /// - Throws: ``Failure`` if it does not start.
    public func start() throws(Failure) {
        let result = process.withLock { process -> Result<pid_t, Failure> in
            if let process { return .success(process) }
            let result = Result { () throws(Failure) in try launch() }
            process = try? result.get()
            return result
        }
        _ = try result.get()
    }

    /// Ends the daemon: everybody's connection breaks. Without effect if it has ended.
    public func stop() {
        let process = process.withLock { process in
            defer { process = nil }
            return process
        }
        if let process { Self.end(process) }
        unlink(directory + "/bus")
    }

    // MARK: Steps

    private func launch() throws(Failure) -> pid_t {
        var output: [Int32] = [-1, -1]
        // A pair of sockets, because a pipe cannot be made with close-on-exec in one step: buses that start at the same time would inherit it.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &output) == 0 else { throw Failure(description: "no sockets: \(Self.lastError)") }
        defer { close(output[0]) }
        let process = try Self.spawn(program, in: directory, output: output)
        guard Self.hasLine(output[0]) else {
            Self.end(process)
            throw Failure(description: "\(program) ended without telling its address: \(Self.lastWords(in: directory))")
        }
        return process
    }

    private static var lastError: String { String(cString: strerror(errno)) }

    private static func makeDirectory() throws(Failure) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/flickit-bus-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no directory below \(parent): \(lastError)") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// As the D-Bus specification wants a path in an address; it also keeps XML out of trouble.
    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            return byte < 128 && (character.isLetter || character.isNumber || "-_/.".contains(character))
                ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// - Parameter socket: Escaped.
    private static func configuration(of directory: String, socket: String, _ rules: Rules) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(socket)</listen>
          <servicedir>\(directory)</servicedir>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*"/>
            <allow receive_sender="*"/>
            <allow own="*"/>
            \(rules.forbidden.map { "<deny send_destination=\"\($0)\"/>" }.joined())
          </policy>
          <limit name="max_connections_per_user">\(rules.connections)</limit>
        </busconfig>

        """
    }

    private static func write(_ text: String, to path: String) throws(Failure) {
        guard let file = fopen(path, "we") else { throw Failure(description: "\(path): \(lastError)") }
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten else { throw Failure(description: "\(path): \(lastError)") }
    }

    /// Starts the daemon, which writes its address to the socket. Its end is closed here, so that the end of a daemon that fails is noticed.
    private static func spawn(_ program: String, in directory: String, output: [Int32]) throws(Failure) -> pid_t {
        defer { close(output[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, directory + "/log", O_WRONLY | O_CREAT, 0o600)
        let words = [program, "--config-file=\(directory)/bus.conf", "--nofork", "--nopidfile", "--print-address=1"]
        // Threads of a pool block signals, without which the daemon would not notice the end of a service.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, program, &actions, &attributes, &arguments, environ)
        guard result == 0 else {
            let hint = result == ENOENT ? " (Debian: package dbus-daemon)" : ""
            throw Failure(description: "\(program) cannot be started: \(String(cString: strerror(result)))\(hint)")
        }
        return process
    }

    /// Waits for the address; false if the daemon ended before. It is not used: its identifier changes with each start.
    private static func hasLine(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        while true {
            switch read(descriptor, &byte, 1) {
            case 1 where byte == UInt8(ascii: "\n"): return true
            case 1: continue
            case -1 where errno == EINTR: continue
            default: return false
            }
        }
    }

    /// What the daemon complained about.
    private static func lastWords(in directory: String) -> String {
        guard let file = fopen(directory + "/log", "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 2000)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private static func end(_ process: pid_t) {
        kill(process, SIGKILL)
        while waitpid(process, nil, 0) == -1 && errno == EINTR {}
    }
}
