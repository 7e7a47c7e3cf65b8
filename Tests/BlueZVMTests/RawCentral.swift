import EventLoops
import Fixtures
import Foundation
import GATT
import Testing

/// A central with a controller of its own, which knows nothing of kernel, bluetoothd and D-Bus: `Tests/BlueZVM/central.py`, whose commands it takes.
final class RawCentral: Sendable {
    /// A line that it says.
    struct Line: Decodable, Sendable {
        var event: String?
        var address: String?
        var error: String?
        var code: Int?
        var value: String?
        var uuid: String?
        var advertisement: Advertisement?
        var response: Advertisement?
        var services: [Service]?
    }

    /// What an advertisement or a scan response says.
    struct Advertisement: Decodable, Equatable, Sendable {
        var flags: UInt8?
        var services: [String]?
        var name: String?
        /// Kinds of data, in their order.
        var kinds: [UInt8]?
    }

    struct Service: Decodable, Sendable {
        let uuid: String
        /// The first and the last of its handles.
        let start: UInt16
        let end: UInt16
        let includes: [Inclusion]
        let characteristics: [Characteristic]
    }

    /// Handles of a service that another one includes.
    struct Inclusion: Decodable, Sendable {
        let start: UInt16
        let end: UInt16
    }

    struct Characteristic: Decodable, Sendable {
        let uuid: String
        let properties: UInt8
    }

    /// A notification or an indication.
    struct Value: Equatable, Sendable {
        let kind: String
        let uuid: String
        let bytes: [UInt8]
    }

    struct Failure: Error {
        let command: String
        let text: String
    }

    let address: BluetoothAddress
    private let talker: Talker
    private let results: AsyncStream<Line>
    private let values: Locked<[Value]>

    init() async throws {
        let program = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../BlueZVM/central.py").path
        let (results, result) = AsyncStream.makeStream(of: Line.self)
        let values = Locked<[Value]>([])
        let rest = Locked(Data())
        talker = try Talker(program) { piece in
            guard let piece else { return result.finish() }
            for line in rest.withLock({ $0.takeLines(piece) }) {
                guard let line = try? JSONDecoder().decode(Line.self, from: line) else { continue }
                if let value = Value(line) {
                    values.withLock { $0.append(value) }
                } else if line.event == nil || line.event == "ready" {
                    result.yield(line)
                }
            }
        }
        self.results = results
        self.values = values
        let ready = await results.first { _ in true }
        address = try #require(ready?.address.flatMap { BluetoothAddress($0) })
    }

    /// What has become of a command.
    func ask(_ command: String) async throws -> Line {
        try talker.say(command)
        guard let line = await results.first(where: { _ in true }) else { throw Failure(command: command, text: "the central is gone") }
        return line
    }

    /// For what has to succeed.
    @discardableResult
    func `do`(_ command: String) async throws -> Line {
        let line = try await ask(command)
        if let error = line.error { throw Failure(command: command, text: error) }
        return line
    }

    /// The number of the error that a command ends with; 0 if it succeeds.
    func code(_ command: String) async throws -> Int {
        let line = try await ask(command)
        guard let code = line.code ?? (line.error == nil ? 0 : nil) else { throw Failure(command: command, text: line.error ?? "") }
        return code
    }

    /// Connects to hci0, and learns what is there.
    ///
    /// - Parameter mtu: 23 if nil.
    /// - Returns: Its services.
    @discardableResult
    func connect(mtu: Int? = nil) async throws -> [Service] {
        try await `do`("connect \(ChannelStage.listening)")
        if let mtu { try await `do`("mtu \(mtu)") }
        return try await `do`("discover").services ?? []
    }

    /// What hci0 advertises.
    func scan() async throws -> (advertisement: Advertisement, response: Advertisement) {
        let line = try await `do`("scan \(ChannelStage.listening)")
        return (try #require(line.advertisement), line.response ?? Advertisement())
    }

    /// Whether nothing is heard of hci0 for longer than it takes between two advertisements. It may take a moment to fall silent.
    func hearsNothing() async throws -> Bool {
        for _ in 0..<3 where try await ask("scan \(ChannelStage.listening) 2").error != nil { return true }
        return false
    }

    /// What has come since the last look, once there is so much.
    func values(_ count: Int) async throws -> [Value] {
        for _ in 0..<3000 where values.withLock({ $0.count }) < count { try await Task.sleep(for: .milliseconds(10)) }
        return values.withLock { values in
            defer { values = [] }
            return values
        }
    }
}

extension RawCentral.Value {
    /// Nil if the line is about something else.
    fileprivate init?(_ line: RawCentral.Line) {
        guard let event = line.event, ["notification", "indication"].contains(event) else { return nil }
        self.init(kind: event, uuid: line.uuid ?? "", bytes: [UInt8](hex: line.value ?? "") ?? [])
    }
}

extension Data {
    /// Appends a piece, and takes away all whole lines.
    fileprivate mutating func takeLines(_ piece: Data) -> [Data] {
        append(piece)
        guard let end = lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        defer { self = Data(suffix(from: index(after: end))) }
        return prefix(through: end).split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }
}
