import EventLoops
import GATT
import Testing

@testable import CoreBluetooth

@Suite("Subscriptions and updates (contract D.7)")
struct ManagerUpdateTests {
    private let stage: Stage
    private let sensor = Sensor()
    private let ticks: AttributeID

    init() async throws {
        stage = await Stage()
        await stage.publish(sensor.service)
        ticks = try #require(await stage.transport.name("FF02"))
        _ = stage.log.take()
    }

    private var sent: [[UInt8]] { get async { await stage.transport.updates.map(\.value) } }

    @Test("D34, D35, D81, D83: who subscribes and unsubscribes, and what the characteristic shows then")
    func subscriptions() async {
        #expect(!sensor.ticks.isNotifying)
        await stage.tell(.subscribed(ticks, Stage.phone), .subscribed(ticks, Stage.tablet))
        #expect(await stage.heard() == ["subscribed FF02 182 of 1", "subscribed FF02 20 of 2"])
        #expect(sensor.ticks.isNotifying && sensor.ticks.subscribedCentrals?.map(\.address) == [Stage.phone, Stage.tablet].map(\.address))
        await stage.tell(.allUnsubscribed(ticks))
        #expect(await stage.heard() == ["unsubscribed FF02 182 of 1", "unsubscribed FF02 20 of 0"])
        #expect(!sensor.ticks.isNotifying)
    }

    @Test("D82: one that subscribes again had unsubscribed unseen")
    func again() async {
        await stage.tell(.subscribed(ticks, Stage.phone))
        _ = await stage.heard()
        await stage.tell(.subscribed(ticks, RemoteCentral(address: Stage.phone.address, mtu: 100)))
        #expect(await stage.heard() == ["unsubscribed FF02 182 of 0", "subscribed FF02 97 of 1"])
    }

    @Test("D85, D86: the end of a link ends its subscriptions, and only those")
    func disconnected() async {
        await stage.tell(.subscribed(ticks, Stage.phone), .subscribed(ticks, Stage.tablet))
        _ = await stage.heard()
        await stage.tell(.disconnected(Stage.phone.address))
        #expect(await stage.heard() == ["unsubscribed FF02 182 of 1"])
        await stage.tell(.allUnsubscribed(ticks), .disconnected(Stage.tablet.address))
        #expect(await stage.heard() == ["unsubscribed FF02 20 of 0"])
    }

    @Test("D18, D90, D92: an update for some goes out once, and reaches all; cut to what fits the smallest of those it is meant for")
    func length() async {
        await stage.tell(.subscribed(ticks, Stage.phone), .subscribed(ticks, Stage.tablet))
        let centrals = sensor.ticks.subscribedCentrals ?? []
        let value = Data((0..<200).map { UInt8($0) })
        #expect(stage.manager.updateValue(value, for: sensor.ticks, onSubscribedCentrals: nil))
        #expect(stage.manager.updateValue(value, for: sensor.ticks, onSubscribedCentrals: [centrals[0]]))
        await stage.settle()
        #expect(await sent.map(\.count) == [20, 182])
    }

    @Test("D91, D93: with nobody to reach nothing is sent")
    func nobody() async {
        #expect(stage.manager.updateValue(Data([1]), for: sensor.ticks, onSubscribedCentrals: nil))
        await stage.tell(.subscribed(ticks, Stage.phone))
        let stranger = CBCentral(address: Stage.tablet.address, mtu: 23)
        #expect(stage.manager.updateValue(Data([2]), for: sensor.ticks, onSubscribedCentrals: [stranger]))
        #expect(stage.manager.updateValue(Data([3]), for: sensor.ticks, onSubscribedCentrals: []))
        #expect(stage.manager.updateValue(Data([4]), for: Sensor().ticks, onSubscribedCentrals: nil), "not published")
        #expect(stage.manager.updateValue(Data([5]), for: sensor.ticks, onSubscribedCentrals: [stranger] + (sensor.ticks.subscribedCentrals ?? [])))
        await stage.settle()
        #expect(await sent == [[5]])
    }

    @Test("D91, D95: equal values are sent, in the order of the calls")
    func equal() async {
        await stage.tell(.subscribed(ticks, Stage.phone))
        for byte in [1, 1, 2] as [UInt8] { stage.manager.updateValue(Data([byte]), for: sensor.ticks, onSubscribedCentrals: nil) }
        await stage.settle()
        #expect(await sent == [[1], [1], [2]])
    }

    @Test("D38, D94: false at the limit without sending; ready once when there is room again")
    func limit() async {
        await stage.tell(.subscribed(ticks, Stage.phone))
        _ = await stage.heard()
        await stage.transport.wait()
        let results = (0..<20).map { stage.manager.updateValue(Data([$0]), for: sensor.ticks, onSubscribedCentrals: nil) }
        #expect(results == Array(repeating: true, count: 16) + Array(repeating: false, count: 4))
        await stage.settle()
        #expect(await sent.count == 16)
        #expect(await stage.heard() == [])
        await stage.transport.answerFlush()
        #expect(await stage.heard() == ["ready"])
        // The first question was put after the first update.
        while await stage.transport.waitingFlushes > 0 {
            await stage.transport.answerFlush()
            await stage.settle()
        }
        #expect(await stage.heard() == [], "nobody had been refused since")
        #expect(stage.manager.updateValue(Data([99]), for: sensor.ticks, onSubscribedCentrals: nil))
    }

    @Test("Bug case D11: 200 updates, refused ones sent again when ready: all arrive, in order, none twice")
    func drained() async {
        await stage.tell(.subscribed(ticks, Stage.phone))
        _ = await stage.heard()
        let rest = Locked(Array(0..<UInt8(200))[...])
        let drain = { @Sendable [ticks = UnsafeCharacteristic(sensor.ticks)] (manager: CBPeripheralManager) in
            while let next = rest.withLock({ $0.first }) {
                guard manager.updateValue(Data([next]), for: ticks.object, onSubscribedCentrals: nil) else { return }
                _ = rest.withLock { $0.removeFirst() }
            }
        }
        stage.delegate.onReady.withLock { $0 = drain }
        await stage.transport.wait()
        drain(stage.manager)
        var answers = 0
        await stage.settle()
        while await stage.transport.waitingFlushes > 0 {
            await stage.transport.answerFlush()
            answers += 1
            await stage.settle()
        }
        #expect(await sent.map { $0[0] } == Array(0..<200))
        let readies = await stage.heard()
        #expect(readies.allSatisfy { $0 == "ready" })
        #expect((200 / 16...answers).contains(readies.count), "\(readies.count) of \(answers)")
    }

    @Test("Bug case D11: ready is told also when there is room before the caller has returned")
    func roomAtOnce() async {
        await stage.tell(.subscribed(ticks, Stage.phone))
        _ = await stage.heard()
        // The transport takes everything at once, on its own thread, while this one goes on.
        var refusals = 0
        for number in 0..<5000 where !stage.manager.updateValue(Data([UInt8(number % 256)]), for: sensor.ticks, onSubscribedCentrals: nil) {
            refusals += 1
        }
        let readies = await stage.heard().count
        #expect(refusals == 0 ? readies == 0 : readies >= 1 && readies <= refusals)
        #expect(await sent.count == 5000 - refusals)
        #expect(stage.manager.updateValue(Data([1]), for: sensor.ticks, onSubscribedCentrals: nil), "never false when nothing is outstanding")
    }

    @Test("D97: updates do not change the value of the characteristic")
    func value() async {
        await stage.tell(.subscribed(ticks, Stage.phone))
        stage.manager.updateValue(Data([1]), for: sensor.ticks, onSubscribedCentrals: nil)
        #expect(sensor.ticks.value == nil)
    }

    @Test("D19: the latency of a link is accepted and has no effect")
    func latency() async {
        await stage.tell(.subscribed(ticks, Stage.phone))
        for latency in [CBPeripheralManagerConnectionLatency.low, .medium, .high] {
            stage.manager.setDesiredConnectionLatency(latency, for: sensor.ticks.subscribedCentrals![0])
        }
        #expect(await stage.transport.journal == [])
    }
}

/// For a closure that runs on another queue.
private struct UnsafeCharacteristic: @unchecked Sendable {
    let object: CBMutableCharacteristic
    init(_ object: CBMutableCharacteristic) { self.object = object }
}
