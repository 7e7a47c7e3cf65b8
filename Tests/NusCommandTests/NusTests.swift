import Commands
import EventLoops
import Fixtures
import FlicSimulator
import GATT
import Glibc
import Testing
import UARTDoubles

@testable import nus

@Suite("nus", .timeLimit(.minutes(1)))
struct NusTests {
    @Test("serve and connect: lines go both ways, and are whole")
    func lines() async throws {
        try await Stage.play { stage in
            let server = stage.start("serve", "--name", "Weather")
            await server.remarks.wait(for: "Can be found as Weather.")
            let client = stage.start("connect", "Weather")
            await client.remarks.wait(for: "Connected to Weather (00:AA:01:01:00:01).")
            let long = String(repeating: "grün→日本", count: 40)
            client.type("hello\n\(long)\n")
            #expect(await server.results.wait { $0.count == 2 } == ["hello", long])
            server.type("good day\u{1B}\n")
            #expect(await client.results.wait { $0.count == 1 } == ["good day "], "what commands a terminal is not passed on")
            #expect(await client.end() == .interrupted)
            #expect(await !stage.air.isLinked, "nobody ends a link that a program leaves behind")
            await server.remarks.wait { $0.contains { $0.hasPrefix("The connection has ended") } }
            #expect(await server.end() == .interrupted)
        }
    }

    @Test("A link that is lost is told, and made again; what is typed meanwhile is sent then")
    func loss() async throws {
        try await Stage.play { stage in
            let server = stage.start("serve", "--json")
            await server.results.wait { $0.contains { $0.contains("advertising") } }
            let client = stage.start("connect", "--json")
            await client.results.wait { $0.contains { $0.contains("\"connected\"") } }
            await stage.air.drop()
            client.type("again\n")
            await server.results.wait { $0.contains { $0.contains("\"again\"") } }
            #expect(
                client.results.lines == [
                    #"{"event":"searching"}"#, #"{"address":"00:AA:01:01:00:01","event":"connected","name":"nus"}"#,
                    #"{"address":"00:AA:01:01:00:01","event":"disconnected","message":"timeout: the link was lost"}"#, #"{"event":"searching"}"#,
                    #"{"address":"00:AA:01:01:00:01","event":"connected","name":"nus"}"#,
                ]
            )
            _ = await (client.end(), server.end())
        }
    }

    @Test("A server that is interrupted leaves no link behind that is about to end")
    func serverEnd() async throws {
        try await Stage.play { stage in
            let server = stage.start("serve")
            await server.remarks.wait(for: "Can be found as nus.")
            let client = stage.start("connect")
            await client.remarks.wait { $0.contains { $0.hasPrefix("Connected to nus") } }
            #expect(await server.end() == .interrupted)
            #expect(await !stage.air.isLinked)
            _ = await client.end()
        }
    }

    @Test("--echo sends back what comes; --raw passes bytes on as they are")
    func echo() async throws {
        try await Stage.play { stage in
            let server = stage.start("serve", "--echo", "--raw")
            await server.remarks.wait(for: "Can be found as nus.")
            let client = stage.start("connect", "--raw")
            client.keyboard.write([0, 0xFF, 0x0A])
            #expect(await client.results.wait { !$0.isEmpty } == ["[0, 255, 10]"])
            #expect(server.results.lines == ["[0, 255, 10]"])
            _ = await (client.end(), server.end())
        }
    }

    @Test("scan: each device once; none is a failure of its own")
    func scan() async throws {
        try await Stage.play { stage in
            let nothing = stage.start("scan")
            #expect(await nothing.code == .nothingFound)
            #expect(stage.loop.now >= .seconds(10))
            let server = stage.start("serve", "--name", "Weather")
            await server.remarks.wait(for: "Can be found as Weather.")
            let scan = stage.start("scan", "--timeout", "3")
            #expect(await scan.code == .done)
            #expect(scan.results.lines == ["00:AA:01:01:00:01  Weather  -50 dBm"])
            _ = await server.end()
        }
    }

    @Test("Without Bluetooth each command says so, and ends; with --wait it waits", arguments: ["scan", "connect", "pty"])
    func noBluetooth(command: String) async throws {
        try await Stage.play { stage in
            let central = AbsentCentral(loop: stage.loop)
            let run = stage.start(command, "--json", central: central)
            #expect(await run.code == .bluetoothUnavailable)
            #expect(run.results.lines.last?.contains(#""reason":"unsupported""#) == true)
            let patient = stage.start(command, "--wait", central: central)
            await patient.remarks.wait { $0.contains { $0.hasPrefix("Waiting for Bluetooth.") } }
            #expect(await patient.end() == .interrupted)
        }
    }

    @Test("--seconds ends a command well")
    func seconds() async throws {
        try await Stage.play { stage in
            let run = stage.start("connect", "--seconds", "5")
            #expect(await run.code == .done)
            #expect(stage.loop.now == .seconds(5))
        }
    }

    @Test(
        "What is not understood ends with code 2",
        arguments: [[], ["dance"], ["connect", "a", "b"], ["serve", "--name", String(repeating: "n", count: 30)], ["scan", "--timeout", "-1"]]
    )
    func usage(arguments: [String]) async throws {
        try await Stage.play { stage in
            let run = stage.start(arguments)
            #expect(await run.code == .usage)
        }
    }

    @Test("Every command has its part of the schema, which each run with --json is held against")
    func schema() throws {
        let names = try #require(JSONSchema.commands).names.filter { $0.hasPrefix("nus-") }
        #expect(names == Set(NusProgram.table.commands.map(\.name).filter { $0 != "help" }.map { "nus-\($0)" }))
    }

    @Test("The help names all commands, and each has its own")
    func help() async throws {
        try await Stage.play { stage in
            let general = stage.start("help")
            #expect(await general.code == .done)
            for command in NusProgram.table.commands {
                #expect(general.results.lines.contains { $0.contains("  \(command.name) ") })
                let own = stage.start(command.name, "--help")
                #expect(await own.code == .done)
                #expect(own.results.lines.first?.hasPrefix("Usage: nus \(command.name)") == true)
            }
        }
    }
}
