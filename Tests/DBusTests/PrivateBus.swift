import Glibc

/// A `dbus-daemon` of a test's own. It ends when the last reference goes.
final class PrivateBus: Sendable {
    /// For tests: `@Suite(.enabled(if: PrivateBus.isInstalled, PrivateBus.missing))`.
    static let isInstalled = run("dbus-daemon", "--version") == 0
    static let missing = "dbus-daemon is not installed (Debian package dbus-daemon)"

    /// The D-Bus address.
    let address: String
    private let directory: String
    private let process: pid_t

    /// - Parameters:
    ///   - settings: More XML for the daemon's configuration.
    ///   - startable: A name for which the daemon has a service that fails to start.
    init(settings: String = "", startable: String? = nil) throws {
        var template = Array("\(Self.temporaryDirectory)/bus-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure("mkdtemp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if let startable {
            try Self.write("[D-BUS Service]\nName=\(startable)\nExec=/bin/false\n", to: "\(directory)/\(startable).service")
        }
        let configuration = """
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(directory)/socket</listen>
              <servicedir>\(directory)</servicedir>
              <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
              \(settings)
            </busconfig>
            """
        try Self.write(configuration, to: "\(directory)/bus.conf")

        let (output, input) = try Self.socketPair()
        defer { close(output) }
        let arguments = ["dbus-daemon", "--config-file=\(directory)/bus.conf", "--nofork", "--print-address"]
        let started = Self.spawn(arguments, output: input)
        close(input)
        guard let started else { throw Failure("dbus-daemon") }
        process = started
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        address = String(decoding: line, as: UTF8.self)
        if address.isEmpty { throw Failure("dbus-daemon --print-address") }
    }

    deinit {
        stop()
        _ = Self.run("rm", "-r", directory)
    }

    /// Kills the daemon.
    func stop() {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    struct Failure: Error {
        let what: String
        let number = errno
        init(_ what: String) { self.what = what }
    }

    /// Two connected sockets, which no other process inherits.
    static func socketPair() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { throw Failure("socketpair") }
        return (ends[0], ends[1])
    }

    static var temporaryDirectory: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    private static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "w") else { throw Failure(path) }
        defer { fclose(file) }
        fputs(text, file)
    }

    private static func run(_ arguments: String...) -> Int32? {
        let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nowhere) }
        guard let process = spawn(arguments, output: nowhere) else { return nil }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return status
    }

    private static func spawn(_ arguments: [String], output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // Threads of Dispatch block signals, among them the one by which the daemon learns of services that fail.
        var attributes = posix_spawnattr_t()
        var signals = sigset_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        return posix_spawnp(&process, arguments[0], &actions, &attributes, words, environ) == 0 ? process : nil
    }
}
