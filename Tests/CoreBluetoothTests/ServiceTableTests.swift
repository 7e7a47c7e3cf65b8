import Fixtures
import GATT
import Testing

@testable import CoreBluetooth

@Suite("Which services are published together, and in which order they are answered (contract D15, D16, D45)")
struct ServiceTableTests {
    private typealias ID = ServiceTable.ID
    private typealias Group = ServiceTable.Group
    private typealias Action = ServiceTable.Action

    private static let ids = (1...5).map { ID(number: $0) }
    private static let refused = Refusal(.invalidParameters)

    private static func service(_ number: Int) -> Result<LocalService, Refusal> {
        let characteristic = LocalCharacteristic(id: AttributeID(UInt64(number)), uuid: BluetoothUUID(assigned: 0xFF00), flags: [.read])
        return .success(LocalService(uuid: BluetoothUUID(assigned: 0xFF00 + UInt16(number)), characteristics: [characteristic]))
    }

    private static func group(_ numbers: Int...) -> Group { Group(members: numbers.map { ids[$0] }) }

    /// Services 0 to 2, of which the last includes the first, all published.
    private static func filled() -> ServiceTable {
        var table = ServiceTable()
        for number in 0..<3 {
            for case .publish(let group) in table.add(ids[number], service(number), includes: number == 2 ? [ids[0]] : []) {
                _ = table.answered(group, nil)
            }
        }
        return table
    }

    @Test("The next one is offered when the one before has been answered")
    func order() {
        var table = ServiceTable()
        #expect(table.add(Self.ids[0], Self.service(0), includes: []) == [.publish(Self.group(0))])
        #expect(table.add(Self.ids[1], Self.service(1), includes: []) == [])
        #expect(table.add(Self.ids[2], .failure(Self.refused), includes: []) == [])
        #expect(table.answered(Self.group(0), nil) == [.answer(Self.ids[0], nil), .publish(Self.group(1))])
        #expect(table.answered(Self.group(1), Self.refused) == [.answer(Self.ids[1], Self.refused), .answer(Self.ids[2], Self.refused)])
        #expect(table.answered(Self.group(1), nil) == [], "answered already")
    }

    @Test("D45: a service is published anew together with one that includes it, and listed before it")
    func inclusion() {
        var table = ServiceTable()
        _ = table.add(Self.ids[0], Self.service(0), includes: [])
        _ = table.answered(Self.group(0), nil)
        #expect(
            table.add(Self.ids[1], Self.service(1), includes: [Self.ids[0]]) == [
                .interrupt(Self.ids[0]), .unpublish(Self.group(0)), .publish(Self.group(0, 1)),
            ]
        )
        let services = table.services(of: Self.group(0, 1))
        #expect(services.map(\.includes) == [[], [0]])
        #expect(table.answered(Self.group(0, 1), nil) == [.answer(Self.ids[1], nil)])
    }

    @Test("D45: when the whole is refused, the included one is published as before")
    func refusal() {
        var table = ServiceTable()
        _ = table.add(Self.ids[0], Self.service(0), includes: [])
        _ = table.answered(Self.group(0), nil)
        _ = table.add(Self.ids[1], Self.service(1), includes: [Self.ids[0]])
        #expect(table.answered(Self.group(0, 1), Self.refused) == [.answer(Self.ids[1], Self.refused), .publish(Self.group(0))])
        #expect(table.answered(Self.group(0), Self.refused) == [.retryLater], "nobody waits for it, but it was published")
        #expect(table.retry() == [.publish(Self.group(0))])
        #expect(table.answered(Self.group(0), nil) == [])
    }

    @Test("D45: an included service has to be published before")
    func notPublished() {
        var table = ServiceTable()
        #expect(table.add(Self.ids[1], Self.service(1), includes: [Self.ids[0]]) == [.answer(Self.ids[1], Self.refused)])
    }

    @Test("Two that include the same one are one group, and another stays by itself")
    func groups() {
        var table = Self.filled()
        #expect(
            table.add(Self.ids[3], Self.service(3), includes: [Self.ids[0]]) == [
                .interrupt(Self.ids[0]), .interrupt(Self.ids[2]), .unpublish(Self.group(0, 2)), .publish(Self.group(0, 2, 3)),
            ]
        )
        #expect(
            table.add(Self.ids[4], Self.service(4), includes: [Self.ids[3], Self.ids[1]]) == []
        )
        #expect(
            table.answered(Self.group(0, 2, 3), nil) == [
                .answer(Self.ids[3], nil), .interrupt(Self.ids[0]), .interrupt(Self.ids[2]), .interrupt(Self.ids[3]), .interrupt(Self.ids[1]),
                .unpublish(Self.group(0, 2, 3)), .unpublish(Self.group(1)), .publish(Self.group(0, 1, 2, 3, 4)),
            ]
        )
        #expect(table.services(of: Self.group(0, 1, 2, 3, 4)).map(\.includes) == [[], [], [0], [0], [3, 1]])
    }

    @Test("D16: what is removed is taken back, and what it included stays")
    func removal() {
        var table = Self.filled()
        #expect(table.remove(Self.ids[2]) == [.interrupt(Self.ids[0]), .unpublish(Self.group(0, 2)), .publish(Self.group(0))])
        #expect(table.remove(Self.ids[2]) == [], "once")
        #expect(table.removeAll() == [.unpublish(Self.group(0)), .unpublish(Self.group(1))])
        #expect(table.removeAll() == [])
    }

    @Test("What is removed before it was answered is answered all the same")
    func cancelled() {
        let cancelled = Refusal(.operationCancelled)
        var table = ServiceTable()
        _ = table.add(Self.ids[0], Self.service(0), includes: [])
        _ = table.add(Self.ids[1], Self.service(1), includes: [])
        _ = table.add(Self.ids[2], Self.service(2), includes: [])
        #expect(table.remove(Self.ids[1]) == [.answer(Self.ids[1], cancelled)])
        #expect(
            table.remove(Self.ids[0]) == [.answer(Self.ids[0], cancelled), .unpublish(Self.group(0)), .publish(Self.group(2))]
        )
        #expect(table.answered(Self.group(0), nil) == [], "taken back meanwhile")
        #expect(table.removeAll(Self.refused) == [.answer(Self.ids[2], Self.refused), .unpublish(Self.group(2))])
    }

    @Test("Whatever is asked in whatever order: one answer each, nothing published twice, and at the end what is wanted")
    func anyOrder() {
        for seed in 0..<400 as Range<UInt64> {
            var generator = Random(seed: seed)
            var table = ServiceTable()
            var published: [Group] = []
            var unanswered: [Group] = []
            var (added, answered, failed): (Set<ID>, Set<ID>, Set<ID>) = ([], [], [])
            var removed: Set<ID> = []
            var includers: [ID: [ID]] = [:]
            func perform(_ actions: [Action]) {
                for action in actions {
                    switch action {
                    case .publish(let group):
                        #expect(!published.contains { !Set($0.members).isDisjoint(with: group.members) }, "seed \(seed)")
                        published.append(group)
                        unanswered.append(group)
                    case .unpublish(let group):
                        #expect(published.contains(group), "seed \(seed)")
                        published.removeAll { $0 == group }
                        unanswered.removeAll { $0 == group }
                    case .answer(let id, let error):
                        #expect(answered.insert(id).inserted, "seed \(seed)")
                        if error != nil { failed.insert(id) }
                    case .interrupt, .retryLater: break
                    }
                }
            }
            for number in 0..<30 {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1:
                    let id = ID(number: UInt64(number))
                    let includes = added.subtracting(removed).shuffled(using: &generator).prefix(Int.random(in: 0..<3, using: &generator))
                    for included in includes { includers[included, default: []].append(id) }
                    added.insert(id)
                    perform(table.add(id, Self.service(number), includes: Array(includes)))
                case 2, 3, 4:
                    guard let group = unanswered.randomElement(using: &generator) else { break }
                    unanswered.removeAll { $0 == group }
                    let isRefused = Int.random(in: 0..<4, using: &generator) == 0
                    if isRefused { published.removeAll { $0 == group } }
                    perform(table.answered(group, isRefused ? Self.refused : nil))
                default:
                    let free = added.subtracting(removed).filter { id in
                        (includers[id] ?? []).allSatisfy { removed.contains($0) || failed.contains($0) }
                    }
                    guard let id = free.randomElement(using: &generator) else { break }
                    removed.insert(id)
                    perform(table.remove(id))
                }
            }
            // What is left is answered well.
            perform(table.retry())
            while let group = unanswered.popLast() { perform(table.answered(group, nil)) }
            #expect(answered == added, "seed \(seed)")
            #expect(Set(published.flatMap(\.members)) == added.subtracting(removed).subtracting(failed), "seed \(seed)")
        }
    }
}
