import FlicClient
import FlicProtocol

/// Button events and their queue (protocol 7, 10.2).
extension ButtonFirmware {
    /// Remembers events of the only button, or of the big one of a Flic Duo, and sends them to everybody who is listening.
    mutating func record(_ records: [PressEncoder.Record]) {
        guard !records.isEmpty else { return }
        log.append(records)
        recordDuo(records, of: .big)
        recordTwist(records)
        for record in records {
            for id in sessionIDs where self[id]?.session?.isInitialized == true { sendEvents([record], to: id) }
        }
    }

    /// The client's first request of a session: says where it stands, then sends what it has missed.
    mutating func initializeEvents(_ request: InitButtonEventsLightRequest, on id: UInt8) {
        let isSameBoot = request.bootID == bootID
        let limits = limits(of: request)
        let queue = log.queue(
            after: isSameBoot && !faults.replaysEverything ? request.eventCount : nil,
            number: limits.number,
            since: limits.since
        )
        beginEvents(request, on: id)
        withSession(id) { $0.isInitialized = true }
        let before = isSameBoot && !faults.replaysEverything ? request.eventCount : 0
        let count = queue.isEmpty || settings.countsQueueInAnswer ? encoder.counter : before
        if isSameBoot {
            var answer = InitButtonEventsResponseWithoutBootId()
            answer.hasQueuedEvents = !queue.isEmpty
            answer.timestamp = clock
            answer.eventCount = count
            send(answer, to: id)
        } else {
            var answer = InitButtonEventsResponseWithBootId()
            answer.hasQueuedEvents = !queue.isEmpty
            answer.timestamp = clock
            answer.eventCount = count
            answer.bootID = bootID
            send(answer, to: id)
        }
        sendQueue(queue, to: id)
    }

    /// What a client wants of the queue: the latest so many, and none from before a time in ticks.
    func limits(of request: some QueueLimiting) -> (number: Int, since: UInt64) {
        let age = request.maximumAge == 0xFFFFF ? UInt64.max : UInt64(request.maximumAge) << 15
        return (request.maximumQueued == 31 ? .max : Int(request.maximumQueued), age > clock ? 0 : clock - age)
    }

    /// From here on the client is told, and asked whether it is there.
    mutating func beginEvents(_ request: some QueueLimiting, on id: UInt8) {
        withSession(id) { [clock, settings] in
            $0.autoDisconnectTime = request.autoDisconnectTime
            $0.nextPing = settings.pingInterval.map { clock + $0.ticks }
        }
    }

    mutating func sendQueue(_ queue: [PressEncoder.Record], to id: UInt8) {
        let size = min(max(settings.eventsPerNotification, 1), identity.product == .twist ? Self.twistEventsPerNotification : 16)
        for start in stride(from: 0, to: queue.count, by: size) {
            let end = min(start + size, queue.count)
            sendEvents(Array(queue[start..<end]), to: id, wasQueued: true, isLast: end == queue.count)
        }
    }

    private mutating func sendEvents(_ records: [PressEncoder.Record], to id: UInt8, wasQueued: Bool = false, isLast: Bool = false) {
        guard let last = records.last, link != nil else { return }
        guard identity.product != .twist else { return sendTwistEvents(records, to: id, wasQueued: wasQueued, isLast: isLast) }
        var packet = ButtonEventNotification()
        packet.eventCount = last.counter
        packet.items = records.map { record in
            var item = EventItem()
            item.timestamp = record.time
            item.eventCode = EventCode(record.code)
            item.wasQueued = wasQueued
            return item
        }
        packet.items[packet.items.count - 1].wasQueuedLast = isLast
        send(packet, to: id)
    }
}
