import Dispatch
import FoundationEssentials
import Glibc
import Testing

@testable import FlicBridge

@Suite("The example in Python", .enabled(if: hasPython, "python3 is not installed"), .timeLimit(.minutes(2)))
struct PythonExampleTests {
    private static var script: String {
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/") + "/Sources/Examples/Python/listen.py"
    }

    /// Runs the example. Gives lines of its output, then `exit N`.
    private func run(_ path: String) throws -> AsyncStream<String> {
        var output: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &output) == 0)
        let (near, far) = (output[0], output[1])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, far, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, far, STDERR_FILENO)
        let words = ["python3", Self.script, path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        try #require(posix_spawnp(&process, "python3", &actions, nil, &arguments, environ) == 0)
        close(far)
        return AsyncStream { [process] continuation in
            DispatchQueue(label: "python").async {
                var lines = LineBuffer(longestLine: 10_000)
                var buffer = [UInt8](repeating: 0, count: 1000)
                while case let count = read(near, &buffer, buffer.count), count > 0 {
                    lines.add(Array(buffer.prefix(count)))
                    while let line = try? lines.next() { continuation.yield(String(decoding: line, as: UTF8.self)) }
                }
                close(near)
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0 && errno == EINTR {}
                continuation.yield("exit \(status >> 8 & 0xFF)")
                continuation.finish()
            }
        }
    }

    @Test("It shows presses, and ends with the daemon")
    func presses() async throws {
        let info = try await SocketScene.play { try await $0.pair(name: "Hall") }
        let directory = try TemporaryDirectory()
        let path = directory.path + "/flickit.sock"
        let loop = DispatchLoop(label: "daemon")
        let bridge = Bridge(Flic(FlicConfiguration(central: AbsentCentral(loop: loop), store: MemoryStore())))
        let server = SocketServer(bridge, on: loop, facts: SocketServer.Facts(version: "1"), log: { _, _ in })
        await server.start(try BoundSocket(try SocketPlace(path, isShared: false)))
        let press = PressEvent(kind: .hold, isQueued: true, age: 7)
        // Again and again, because it is not known when the program has subscribed.
        let finger = Task {
            while !Task.isCancelled {
                await server.hear(.button(.press(PressEvent(kind: .down)), info))
                await server.hear(.button(.press(press), info))
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        var lines: [String] = []
        for await line in try run(path) {
            lines.append(line)
            if lines.count == 2 { await server.stop() }
        }
        finger.cancel()
        #expect(lines.count >= 3)
        #expect(lines.dropLast().allSatisfy { $0 == "Hall hold (7 s late)" })
        #expect(lines.last == "exit 0")
    }

    @Test("Without a daemon it says so")
    func absent() async throws {
        let directory = try TemporaryDirectory()
        var lines: [String] = []
        for await line in try run(directory.path + "/flickit.sock") { lines.append(line) }
        #expect(lines == ["The daemon cannot be reached: [Errno 2] No such file or directory", "exit 1"])
    }
}

private var hasPython: Bool { system("python3 -c '' >/dev/null 2>&1") == 0 }
