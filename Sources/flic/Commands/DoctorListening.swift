import FlicClient
import FlicSimulator
import Synchronization

/// Listens for buttons without answering them.
struct DoctorListening {
    /// More devices than any adapter hears.
    private static let mostDevices = 10_000

    let central: any Central
    /// How long at most.
    let time: Duration

    /// Listens until all buttons were heard, or the time is over. Afterwards nothing is listened for, also if the task is cancelled.
    ///
    /// - Parameters:
    ///   - wanted: The buttons.
    ///   - onHeard: Called for each of them when it is heard first.
    ///   - atEnd: Runs while it is still listened.
    func hear(
        _ wanted: Set<BluetoothAddress>,
        onHeard: @escaping @Sendable (BluetoothAddress) -> Void,
        atEnd: () async throws -> Void
    ) async throws -> DoctorFacts.Hearing {
        let (events, continuation) = AsyncStream.makeStream(of: CentralEvent.self, bufferingPolicy: .bufferingNewest(Self.mostDevices))
        let hearing = Mutex(DoctorFacts.Hearing(time: time))
        await central.start { continuation.yield($0) }
        do {
            try await race(
                {
                    var devices: Set<BluetoothAddress> = []
                    for await event in events {
                        if case .state(.poweredOn) = event { await central.discover(.any, on: .all) }
                        guard case .advertisement(let advertisement) = event else { continue }
                        if devices.count < Self.mostDevices { devices.insert(advertisement.address) }
                        let isWanted = wanted.contains(advertisement.address)
                        let (isNew, count) = hearing.withLock { hearing in
                            hearing.deviceCount = devices.count
                            return (isWanted && hearing.hear(advertisement), hearing.buttons.count)
                        }
                        if isNew { onHeard(advertisement.address) }
                        if count == wanted.count { return }
                    }
                },
                { await central.loop.pause(for: time) }
            )
            try await atEnd()
        } catch {
            await central.discover(nil)
            throw error
        }
        await central.discover(nil)
        return hearing.withLock { $0 }
    }
}

extension DoctorFacts.Hearing {
    /// - Returns: Whether the button was not heard before.
    fileprivate mutating func hear(_ advertisement: Advertisement) -> Bool {
        let isNew = buttons[advertisement.address] == nil
        var voice = buttons[advertisement.address] ?? DoctorFacts.Voice()
        voice.rssi = [voice.rssi, advertisement.rssi].compactMap(\.self).max()
        voice.isConnectedElsewhere = advertisement.isConnectedElsewhere
        buttons[advertisement.address] = voice
        return isNew
    }
}
