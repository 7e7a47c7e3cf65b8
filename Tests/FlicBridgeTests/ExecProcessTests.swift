import Dispatch
import EventLoops
import Foundation
import Synchronization
import Testing

@testable import FlicBridge

@Suite("Programs: as processes of the system", .timeLimit(.minutes(3)))
struct ExecProcessTests {
    private let shell = Shell()

    // MARK: What they have

    @Test("The event on standard input, the directory /, the variables that are given, and a process group of its own")
    func surroundings() async {
        let script = """
            cat; pwd; echo "$A-$HOME-$NONE"; echo error >&2
            read -r id name state parent group rest < /proc/$$/stat; [ $id = $group ] && echo own group
            """
        let run = await shell.run(script, input: Array("{}\n".utf8), environment: ["A": "b c", "PATH": "/bin"])
        #expect(run.outcome == .exited(0) && run.lines == ["{}", "/", "b c--", "error", "own group"])
    }

    @Test("No other descriptor, and no signal that is ignored or blocked")
    func cleanliness() async throws {
        signal(SIGPIPE, SIG_IGN)
        let inheritable = open("/dev/null", O_RDONLY)
        defer { close(inheritable) }
        let script = """
            for file in /proc/$$/fd/*; do [ -e "$file" ] && echo "${file##*/}"; done
            while read -r name value; do case $name in SigIgn:|SigBlk:) echo "$name $value";; esac; done < /proc/$$/status
            """
        let run = await shell.run(script)
        #expect(run.lines.prefix(4) == ["0", "1", "2", "SigBlk: 0000000000000000"] && run.lines.count == 5)
        let ignored = try #require(run.lines.last?.split(separator: " ").last.flatMap { UInt64($0, radix: 16) })
        // Those of numbers 32 and 33 are the C library's own, which has each process that it spawns ignore them.
        #expect(ignored & ~(0b11 << 31) == 0)
    }

    @Test("Arguments and texts are given as they are, without a shell")
    func arguments() async {
        let run = await shell.run(ProgramLaunch(command: ["/bin/echo", "a b", "$(id)", "*", "", "é"]))
        #expect(run.outcome == .exited(0) && run.lines == ["a b $(id) *  é"])
    }

    private static let isLoop = DispatchSpecificKey<Bool>()

    @Test("It is started where it is watched, whatever runs the task that asks for it")
    func loop() async {
        let loop = DispatchLoop(label: "tests.programs.loop")
        loop.queue.setSpecific(key: Self.isLoop, value: true)
        let isOnLoop = Mutex<Bool?>(nil)
        let runner = ProcessRunner(loop: loop) { isOnLoop.withLock { $0 = DispatchQueue.getSpecific(key: Self.isLoop) == true } }
        let launch = ProgramLaunch(command: ["/bin/true"], environment: [:], input: [], timeout: .seconds(60))
        #expect(await runner.run(launch) { _ in } == .exited(0))
        #expect(isOnLoop.withLock { $0 } == true)
    }

    @Test("A program need not read what it is given")
    func unread() async {
        let input = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
        #expect(await shell.run("exit 0", input: input).outcome == .exited(0))
        #expect(await shell.run("exec <&-; exit 3", input: input).outcome == .exited(3))
        #expect(await shell.run("sleep 0.05; wc -c", input: input).lines == ["4096"])
        #expect(await shell.run("exit 0", input: input + [0]).outcome == .notStarted("what it is to read is longer than 4096 bytes"))
    }

    // MARK: How they end

    @Test("By itself: with its code, or by a signal")
    func ends() async {
        #expect(await shell.run("exit 255").outcome == .exited(255))
        #expect(await shell.run("kill -9 $$").outcome == .signalled(9))
        #expect(await shell.run("exec >&- 2>&-; sleep 0.05; exit 7").outcome == .exited(7))
    }

    @Test(
        "Not at all, if it cannot be started",
        arguments: [("/nowhere/light", "No such file or directory"), ("/etc/passwd", "Permission denied"), ("/", "Permission denied")]
    )
    func unstartable(program: String, reason: String) async {
        #expect(await shell.run(ProgramLaunch(command: [program])).outcome == .notStarted(reason))
    }

    @Test("When its time is over, with all that it has started")
    func timeout() async throws {
        let run = await shell.run("sleep 600 & echo $!; wait", timeout: .milliseconds(300))
        let child = try #require(run.lines.first)
        #expect(run.outcome == .timedOut && run.time >= .milliseconds(300))
        try await eventually { !Processes.runs(child) }
    }

    @Test("Killed, if it does not end when it is told to; so are those that it has started")
    func stubborn() async throws {
        async let one = shell.run("trap '' TERM; echo $$; while :; do sleep 0.05; done", timeout: .milliseconds(300))
        async let child = shell.run("(trap '' TERM; while :; do sleep 0.05; done) & echo $!; wait", timeout: .milliseconds(300))
        for run in await [one, child] {
            let process = try #require(run.lines.first)
            #expect(run.outcome == .timedOut && run.time >= .milliseconds(300) + ChildProcess.grace)
            try await eventually { !Processes.runs(process) }
        }
    }

    @Test("Those that a program has started are told to end, too")
    func family() async {
        let run = await shell.run("(trap 'echo told; exit' TERM; while :; do sleep 0.05; done) & wait", timeout: .milliseconds(300))
        #expect(run.outcome == .timedOut && run.lines.contains("told"))
    }

    @Test("A program that ends in good order has the time for it")
    func goodOrder() async {
        let run = await shell.run("trap 'sleep 0.1; echo bye; exit 5' TERM; while :; do sleep 0.05; done", timeout: .milliseconds(300))
        #expect(run.outcome == .timedOut && run.lines.last == "bye")
    }

    @Test("When it is cancelled, also before it was started")
    func cancelled() async throws {
        let lines = Lines()
        let launch = ProgramLaunch(command: ["/bin/sh", "-c", "echo $$; exec sleep 600"], environment: ["PATH": "/bin"], timeout: .seconds(600))
        let task = Task { [shell] in await shell.runner.run(launch) { lines.append($0) } }
        let process = try await lines.first()
        task.cancel()
        #expect(await task.value == .ended)
        try await eventually { !Processes.runs(process) }
        let early = Task { [shell] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await shell.run("echo runs")
        }
        let run = await early.value
        #expect(run.outcome == .ended && run.lines.isEmpty)
    }

    @Test("Its end is seen also where the system has no descriptor for it")
    func unwatched() async {
        let loop = DispatchLoop(label: "tests.unwatched")
        for (script, expected) in [("exit 9", ProgramOutcome.exited(9)), ("sleep 600", .timedOut)] {
            let launch = ProgramLaunch(command: ["/bin/sh", "-c", script], environment: ["PATH": "/bin"], timeout: .milliseconds(300))
            let child = ChildProcess(launch, on: loop, openProcess: { _ in -1 }, output: { _ in })
            let outcome = await withCheckedContinuation { continuation in
                loop.execute { child.start { continuation.resume(returning: $0) } }
            }
            #expect(outcome == expected)
        }
    }

    @Test("What it said last is heard, also when its end is seen first, and the last line has no end")
    func lastWords() async {
        let loop = DispatchLoop(label: "tests.lastwords")
        let lines = Lines()
        let launch = ProgramLaunch(command: ["/bin/sh", "-c", "printf 'first\\nlast'"])
        let child = ChildProcess(
            launch,
            on: loop,
            openProcess: { process in
                var information = siginfo_t()
                waitid(P_PID, id_t(process), &information, Int32(WEXITED) | Int32(WNOWAIT))
                return -1
            },
            output: { lines.append($0) }
        )
        let outcome = await withCheckedContinuation { continuation in
            loop.execute { child.start { continuation.resume(returning: $0) } }
        }
        #expect(outcome == .exited(0) && lines.all == ["first", "last"])
    }

    @Test("It is not waited for those that it has started, who may live on with its output")
    func grandchild() async throws {
        let run = await shell.run("sleep 600 & echo $!; exit 4")
        let child = try #require(run.lines.first)
        #expect(run.outcome == .exited(4) && run.lines.count == 1 && Processes.runs(child))
        kill(try #require(pid_t(child)), SIGKILL)
    }

    // MARK: What they say

    @Test("Much is cut, and does not keep a program waiting")
    func flood() async {
        let run = await shell.run("yes 123456789 | head -c 10000000; exit 6")
        #expect(run.outcome == .exited(6) && run.lines.count == 411)
        #expect(run.lines.prefix(409).allSatisfy { $0 == "123456789" })
        #expect(run.lines.suffix(2) == ["123456", "(what follows the first 4096 bytes is left out)"])
    }

    @Test("Lines, whatever the pieces in which they come")
    func lines() {
        var lines = OutputLines()
        let one = lines.take(Array("a\n\n b".utf8))
        let two = lines.take(Array("c\n\r\nd".utf8) + [0xFF])
        let rest = lines.rest()
        let nothing = lines.rest()
        #expect(one == ["a"] && two == [" bc"] && rest == ["d\u{FFFD}"] && nothing.isEmpty)
    }

    // MARK: What they leave

    @Test("No descriptor, and no process that has ended")
    func leaks() async throws {
        let scripts = ["exit 0", "exit 1", "yes | head -c 100000", "exec >&- 2>&-; exit 0", "exec sleep 600", "sleep 600 & exit 0"]
        for script in scripts {
            let run = await shell.run("echo $$; readlink /proc/$$/fd/0 /proc/$$/fd/1; \(script)", timeout: .milliseconds(500))
            let process = try #require(run.lines.first)
            let group = try #require(pid_t(process))
            defer { kill(-group, SIGKILL) }
            let pipes = Set(run.lines[1...2])
            #expect(pipes.count == 2 && pipes.allSatisfy { $0.hasPrefix("pipe:[") })
            #expect(!Processes.isKnown(process), "\(script)")
            try await eventually { pipes.isDisjoint(with: Processes.descriptors()) && !Processes.areEndedWatched() }
        }
    }
}
