import BlueZ
import Fixtures
import FlicBridge
import FlicClient
import FlicSimulator
import Testing

@testable import flic

/// Every run of a test with `--json` is held against the schema as well: see ``Stage/run(_:problem:interrupts:environment:examiner:)``.
@Suite("The schema of what --json prints")
struct SchemaTests {
    @Test("Every command has its part")
    func complete() throws {
        let schema = try #require(JSONSchema.commands)
        let commands = FlicProgram.table.commands.map(\.name).filter { $0 != "help" }
        #expect(schema.names.filter { $0.hasPrefix("flic-") } == Set(commands.map { "flic-\($0)" }))
    }

    @Test("Everything that can happen to a button can be told")
    func notices() async throws {
        let schema = try #require(JSONSchema.commands)
        let info = try await Stage.play { stage in
            await stage.button.setName("Hall")
            await stage.pair()
            let invocation = Invocation(arguments: try FlicProgram.table.parse(["list"]), context: stage.context(Printed()))
            let buttons = await invocation.buttons(in: stage.store.contents)
            return try #require(buttons.first)
        }
        let presses = PressEvent.Kind.allCases.map { ButtonNotice.press(PressEvent(kind: $0, isQueued: true, age: 3, timestamp: 5, eventCount: 7)) }
        let problems: [SessionProblem] = [.pingTimedOut, .signatureMismatch, .takenOver, .requestTimedOut, .closedByButton]
        let others: [ButtonNotice] = [
            .connected, .ready, .disconnected(nil), .disconnected(LinkError(.timeout)), .failedToConnect(FlicError(.unpaired)), .unpaired,
            .battery(try #require(info.battery)), .renamed("Other"),
            .turned(ButtonTurn(buttonNumber: 1, turns: -0.5)), .turned(ButtonTurn(buttonNumber: 0, turns: 0.25, twistMode: 12, position: 1)),
            .press(PressEvent(kind: .click, twistMode: 3)),
        ]
        for notice in presses + problems.map(ButtonNotice.notReady) + others {
            var line = try #require(EventLine(notice))
            line.record.tell(info)
            line.record.time = 1.25
            line.date = "2026-01-01T00:00:00.500Z"
            #expect(schema.problems(of: try JSONLine.text(line.record), as: "flic-listen") == [])
        }
        let states: [CentralState] = [.poweredOn, .poweredOff, .resetting, .unsupported(.missing), .unsupported(.tooOld), .unauthorized]
        for state in states {
            var record = EventRecord(state)
            record.time = 0
            record.date = ""
            #expect(schema.problems(of: try JSONLine.text(record), as: "flic-listen", "flic-simulate") == [])
        }
    }

    @Test(
        "What is not as the schema says is found",
        arguments: [
            #"{"event":"failed","reason":"x"}"#, #"{"event":"failed","reason":"x","message":1}"#, #"{"event":"ready"}"#, "[]", "{}", "no JSON",
            #"{"event":"click","queued":1,"age":0,"count":1,"clock":2,"time":1,"date":"","button":"B","uuid":"00000000000000000000000000000000"}"#,
            #"{"event":"click","queued":true,"age":-1,"count":1,"clock":2,"time":1,"date":"","button":"B","uuid":"00000000000000000000000000000000"}"#,
            #"{"event":"ready","time":1,"date":"","button":"B","uuid":"00"}"#,
            #"{"event":"ready","more":1,"time":1,"date":"","button":"B","uuid":"00000000000000000000000000000000"}"#,
        ]
    )
    func wrong(line: String) throws {
        #expect(try #require(JSONSchema.commands).problems(of: line, as: "flic-listen", "failed") != [])
    }
}
