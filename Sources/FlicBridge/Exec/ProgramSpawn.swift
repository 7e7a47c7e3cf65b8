import CProcesses
import EventLoops
import Glibc

/// Starts processes, with no more than they are to have.
enum ProgramSpawn {
    /// Why a program could not be started.
    struct Problem: Error {
        let text: String

        init(_ text: String) { self.text = text }

        init(_ code: Int32) { text = String(cString: strerror(code)) }
    }

    /// A process that runs.
    struct Spawned {
        let process: pid_t
        /// What it says can be read here, without waiting.
        let output: Descriptor
    }

    private struct Pipe {
        let reading: Descriptor
        let writing: Descriptor

        /// Closed on exec.
        init() throws(Problem) {
            var numbers: [Int32] = [-1, -1]
            guard pipe2(&numbers, O_CLOEXEC) == 0 else { throw Problem(errno) }
            (reading, writing) = (try Self.aboveStandard(Descriptor(numbers[0])), try Self.aboveStandard(Descriptor(numbers[1])))
        }

        /// In a program without standard input or output a pipe may have got their number, where the child's are to be put.
        private static func aboveStandard(_ descriptor: Descriptor) throws(Problem) -> Descriptor {
            guard descriptor.number <= STDERR_FILENO else { return descriptor }
            let number = fcntl(descriptor.number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
            guard number >= 0 else { throw Problem(errno) }
            return Descriptor(number)
        }
    }

    static func start(_ launch: ProgramLaunch) throws(Problem) -> Spawned {
        let input = try Pipe()
        let output = try Pipe()
        try put(launch.input, into: input.writing)
        let status = fcntl(output.reading.number, F_GETFL)
        guard status >= 0, fcntl(output.reading.number, F_SETFL, status | O_NONBLOCK) == 0 else { throw Problem(errno) }
        let process = try spawn(launch, input: input.reading.number, output: output.writing.number)
        return Spawned(process: process, output: output.reading)
    }

    /// All of it fits into a pipe that is empty, so that nobody has to wait until the program reads, nor to care if it does not.
    private static func put(_ bytes: [UInt8], into pipe: Descriptor) throws(Problem) {
        guard bytes.count <= PIPE_BUF else { throw Problem("what it is to read is longer than \(PIPE_BUF) bytes") }
        guard bytes.isEmpty || write(pipe.number, bytes, bytes.count) == bytes.count else { throw Problem(errno) }
    }

    private static func spawn(_ launch: ProgramLaunch, input: Int32, output: Int32) throws(Problem) -> pid_t {
        guard let program = launch.command.first else { throw Problem("there is no command") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
        posix_spawn_file_actions_addchdir_np(&actions, "/")

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var all = sigset_t()
        sigfillset(&all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        var process: pid_t = 0
        let code = withStrings(launch.command) { arguments in
            withStrings(launch.environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&process, program, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw Problem(code) }
        return process
    }

    /// The texts as C has them, with a null pointer at the end.
    private static func withStrings<Result>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        let strings = texts.map { strdup($0) }
        defer { for string in strings { free(string) } }
        return body(strings + [nil])
    }
}
