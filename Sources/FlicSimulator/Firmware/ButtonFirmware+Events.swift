import FlicProtocol

/// Button events and their queue (protocol 7, 10.2).
extension ButtonFirmware {
    /// Remembers events of the only button, or of the big one of a Flic Duo, and sends them to everybody who is listening.
    mutating func record(_ records: [PressEncoder.Record]) {
        guard !records.isEmpty else { return }
        log.append(records)
        recordDuo(records, of: .big)
        for record in records {
            for id in sessionIDs where self[id]?.session?.isInitialized == true { sendEvents([record], to: id) }
        }
    }

    /// The client's first request of a session: says where it stands, then sends what it has missed.
    mutating func initializeEvents(_ request: InitButtonEventsLightRequest, on id: UInt8) {
        let isSameBoot = request.bootID == bootID
        let limit = request.maximumQueued == 31 ? Int.max : Int(request.maximumQueued)
        let age = request.maximumAge == 0xFFFFF ? UInt64.max : UInt64(request.maximumAge) << 15
        let queue = log.queue(
            after: isSameBoot && !faults.replaysEverything ? request.eventCount : nil,
            number: limit,
            since: age > clock ? 0 : clock - age
        )
        withSession(id) { [clock, settings] in
            $0.isInitialized = true
            $0.autoDisconnectTime = request.autoDisconnectTime
            $0.nextPing = settings.pingInterval.map { clock + $0.ticks }
        }
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
        let size = min(max(settings.eventsPerNotification, 1), 16)
        for start in stride(from: 0, to: queue.count, by: size) {
            let end = min(start + size, queue.count)
            sendEvents(Array(queue[start..<end]), to: id, wasQueued: true, isLast: end == queue.count)
        }
    }

    private mutating func sendEvents(_ records: [PressEncoder.Record], to id: UInt8, wasQueued: Bool = false, isLast: Bool = false) {
        guard let last = records.last, link != nil else { return }
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
