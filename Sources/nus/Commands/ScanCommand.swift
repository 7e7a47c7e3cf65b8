import Commands
import EventLoops
import GATT
import Synchronization
import UART

/// `nus scan`: devices that can be connected.
enum ScanCommand {
    private static let timeout = Option(name: "--timeout", value: "S", summary: "Listen for this many seconds (10).")

    static let command = Command<Invocation>(
        name: "scan",
        summary: "Show the devices with the Nordic UART Service.",
        discussion: """
            Shows each device that advertises the service: its address, its name, and the strength of its signal. A device that is
            connected elsewhere is silent.

            With --json: one object a line with the members event ("found"), address, name and rssi (dBm). Members that are not
            known are left out.
            """,
        options: [timeout, .wait],
        run: run
    )

    /// More are not shown.
    private static let mostFound = 1000

    private static func run(_ invocation: Invocation) async throws {
        let time = try invocation.arguments.seconds(timeout) ?? .seconds(10)
        let transport = try invocation.transport()
        let central = transport.central
        let (events, tell) = AsyncStream.makeStream(of: CentralEvent.self, bufferingPolicy: .bufferingNewest(1024))
        let (powers, power) = AsyncStream.makeStream(of: Void.self)
        let found = Mutex<Set<BluetoothAddress>>([])
        await central.start { tell.yield($0) }
        await central.discover(.service(UARTGATT.service))
        let result: Result<Void, any Error>
        do {
            try await race(
                {
                    for await event in events {
                        switch event {
                        case .state(.poweredOn): power.finish()
                        case .state(let state): try await invocation.require(state, transport)
                        case .advertisement(let advertisement):
                            guard found.withLock({ $0.count < mostFound && !$0.contains(advertisement.address) }) else { continue }
                            let known = await central.remembered(advertisement.address)
                            let isNamed = [advertisement, known].contains { $0?.services.contains(UARTGATT.service) == true }
                            guard isNamed || advertisement.hidden == .likely else { continue }
                            found.withLock { _ = $0.insert(advertisement.address) }
                            show(advertisement, name: advertisement.name ?? known?.name, invocation)
                        case .linkedByOthers, .resumed: break
                        }
                    }
                },
                {
                    for await _ in powers {}  // the time begins with the power
                    await invocation.pass(time)
                }
            )
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await central.discover(nil)
        try result.get()
        if found.withLock({ $0.isEmpty }) {
            throw Failure(.nothingFound, "nothingFound", "No device with the Nordic UART Service was found.")
        }
    }

    private static func show(_ advertisement: Advertisement, name: String?, _ invocation: Invocation) {
        let address = advertisement.address.description
        let text = [address, name, advertisement.rssi.map { "\($0) dBm" }].compactMap(\.self).joined(separator: "  ")
        var event = Event("found", text)
        event.address = address
        event.name = name
        event.rssi = advertisement.rssi
        event.isResult = true
        invocation.show(event)
    }
}
