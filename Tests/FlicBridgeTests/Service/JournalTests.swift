import EventLoops
import FlicSimulator
import FoundationEssentials
import Synchronization
import Testing

@testable import FlicBridge

@Suite("Journal: entries and how they are sent")
struct JournalTests {
    /// A bridge with a button whose story the journal is told.
    private func play(
        _ inbox: DatagramInbox?,
        shows: @escaping @Sendable (LogLevel, LogArea) -> Bool = { level, _ in level >= .notice },
        _ body: @escaping @Sendable (Scene) async throws -> Void
    ) async throws -> [String] {
        let lines = Locked<[String]>([])
        try await Scene.play { scene in
            let outlet = JournalOutlet(
                loop: scene.loop,
                identifier: "flickit",
                journal: inbox?.name,
                shows: shows,
                log: { level, text in lines.withLock { $0.append("\(level) \(text)") } }
            )
            await scene.bridge.add { outlet.hear($0) }
            try await body(scene)
        }
        return lines.withLock { $0 }
    }

    /// Reads a datagram, in both forms of a field.
    private func fields(_ datagram: [UInt8]) throws -> [String: String] {
        var fields: [String: String] = [:]
        var rest = datagram[...]
        while !rest.isEmpty {
            let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(name.count)
            let value: ArraySlice<UInt8>
            if rest.popFirst() == UInt8(ascii: "=") {
                value = rest.prefix { $0 != UInt8(ascii: "\n") }
            } else {
                let size = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(8)
                value = rest.prefix(size)
            }
            rest = rest.dropFirst(value.count)
            #expect(rest.popFirst() == UInt8(ascii: "\n"))
            let text = String(decoding: name, as: UTF8.self)
            #expect(fields[text] == nil && text.wholeMatch(of: /[A-Z][A-Z0-9_]{0,63}/) != nil)
            fields[text] = String(decoding: value, as: UTF8.self)
        }
        return fields
    }

    @Test("The story of a button, with fields")
    func story() async throws {
        let inbox = try DatagramInbox()
        let serial = Locked("")
        let lines = try await play(inbox) { scene in
            serial.withLock { $0 = scene.button.identity.serialNumber }
            let info = try await scene.pair(name: "Hall")
            await scene.pass(.seconds(1))
            await scene.button.click()
            await scene.air.loseLink(to: scene.button.identity.address)
            await scene.pass(.seconds(10))
            try await scene.bridge.forget(info.identifier)
        }
        #expect(lines.isEmpty)
        let told = try inbox.take().map(fields)
        #expect(told.allSatisfy { $0["SYSLOG_IDENTIFIER"] == "flickit" })
        #expect(told.first?["MESSAGE"] == "Bluetooth: poweredOn" && told.first?["FLICKIT_BUTTON"] == nil)
        let ofButton = told.dropFirst()
        let number = serial.withLock { $0 }
        #expect(ofButton.allSatisfy { $0["FLICKIT_BUTTON"] == number })
        let lost = try #require(told.first { $0["FLICKIT_EVENT"] == "disconnected" })
        #expect(lost["MESSAGE"]?.hasPrefix("Hall: disconnected: ") == true && lost["FLICKIT_REASON"] != nil)
        #expect(lost["PRIORITY"] == "5" && lost["MESSAGE_ID"] == "289673ae48834978967a3dd4a749962e")
        let events = ofButton.compactMap { $0["FLICKIT_EVENT"] }
        #expect(events.contains("ready") && events.contains("connected") && events.last == "removed")
        #expect(!events.contains("click") && !events.contains("down"))
    }

    @Test("Presses are told where details are wished for; downs and ups are not")
    func details() async throws {
        let inbox = try DatagramInbox()
        _ = try await play(inbox, shows: { _, area in area == .session }) { scene in
            _ = try await scene.pair(name: "Hall")
            await scene.pass(.seconds(1))
            _ = inbox.take()
            await scene.button.click()
            await scene.pass(.seconds(1))
        }
        let told = try inbox.take().map(fields)
        #expect(told.map { $0["MESSAGE"] } == ["Hall: click"])
        #expect(told.first?["PRIORITY"] == "7" && told.first?["MESSAGE_ID"] == nil && told.first?["FLICKIT_EVENT"] == "click")
    }

    @Test("A battery is told when it becomes low, and when it is so no longer")
    func battery() async throws {
        let inbox = try DatagramInbox()
        let told = Locked<[[UInt8]]>([])
        _ = try await play(inbox) { scene in
            _ = try await scene.pair(name: "Hall")
            await scene.pass(.seconds(1))
            for volts in [2.5, 2.4, 3.0] {
                await scene.button.setBattery(volts: volts)
                await scene.air.loseLink(to: scene.button.identity.address)
                await scene.button.click()
                await scene.pass(.seconds(60))
                told.withLock { $0 += inbox.take() }  // a socket keeps a few only
            }
        }
        let batteries = try told.withLock { $0 }.map(fields).filter { $0["FLICKIT_EVENT"] == "battery" }
        #expect(batteries.map { $0["MESSAGE"] } == ["Hall: battery low, 2.5 V", "Hall: battery good, 3.0 V"])
        #expect(batteries.map { $0["PRIORITY"] } == ["3", "5"])
    }

    @Test("Without a journal, or when it cannot be reached, there are lines")
    func lines() async throws {
        for name in [nil, "/nonexistent"] as [String?] {
            let lines = Locked<[String]>([])
            try await Scene.play { scene in
                let outlet = JournalOutlet(
                    loop: scene.loop,
                    identifier: "flickit",
                    journal: name,
                    shows: { level, _ in level >= .notice },
                    log: { level, text in lines.withLock { $0.append("\(level) \(text)") } }
                )
                await scene.bridge.add { outlet.hear($0) }
                let info = try await scene.pair(name: "Hall")
                await scene.pass(.seconds(1))
                try await scene.bridge.forget(info.identifier)
            }
            let all = lines.withLock { $0 }
            #expect(all.first == "notice bluez: Bluetooth: poweredOn")
            #expect(all.last?.wholeMatch(of: /notice session: Hall: forgotten/) != nil)
        }
    }

    @Test("Values of several lines have their length in front, and long ones are cut")
    func datagrams() throws {
        var entry = JournalEntry(.poweredOn)
        let lines = "a\nb=c\n" + String(repeating: "d", count: 300)
        entry.button = lines
        entry.reason = String(repeating: "\u{E9}", count: 5000)
        let fields = try fields(entry.datagram(identifier: "x"))
        #expect(fields["FLICKIT_BUTTON"] == lines)
        #expect(fields["FLICKIT_REASON"] == String(repeating: "\u{E9}", count: 2000))
        #expect(fields["MESSAGE"] == "Bluetooth: poweredOn" && fields["PRIORITY"] == "5")
    }

    @Test("Numbers of kinds are as they should be, and differ")
    func kinds() {
        let numbers = JournalEntry.Kind.allCases.map(\.rawValue)
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil })
    }
}
