import EventLoops
import GATT
import Logs
import UART

/// What happens, from the loop to the program.
///
/// Changes are applied on the delivery queue, each right before the calls that tell of it (contract A26). The next one waits until the program has heard of the
/// one before, so that a program that is slow fills the connection's buffer and no other.
extension NRFManager {
    /// Begins to listen, without keeping the manager alive.
    func follow() -> Task<Void, Never> {
        let ear = Ear(self)
        // On the loop: after a single job on Swift's own executor libdispatch wakes the process every second, to watch its threads.
        return Task(executorPreference: client.loop) { [notices = client.notices] in
            for await notice in notices {
                guard case .connected(let connection) = notice else {
                    await ear.tell { $0.apply(notice) }
                    continue
                }
                await ear.tell { $0.connected(connection) }
                for await bytes in connection.bytes { await ear.tell { $0.received(bytes) } }
                let problem = await connection.problem
                await ear.tell { $0.disconnected(problem) }
            }
        }
    }

    /// Does something on the loop, after what was asked for before.
    func call(_ body: @escaping @Sendable (isolated UARTClient) -> Void) {
        client.loop.execute { [client] in client.assumeIsolated { body($0) } }
    }

    func log(_ text: String) {
        if verbose { print("NRFManager: \(text.inOneLine)") }
    }

    // MARK: On the delivery queue

    private func apply(_ notice: UARTNotice) {
        switch notice {
        case .bluetooth(let state):
            log("Bluetooth is \(state).")
            if state == .poweredOn, autoConnect { call { $0.resume() } }
        case .searching:
            log("Searching.")
            connectionStatus = .scanning
        case .idle: connectionStatus = .disconnected
        case .failed(let address, let error):
            log("Could not connect to \(address): \(error)")
            remark(.notice, "no connection to \(address): \(error)")
        case .connected: break
        }
    }

    private func connected(_ connection: UARTConnection) {
        records.withLock { records in
            records.connection = connection
            records.status = .connected
        }
        log("Connected to \(connection.name ?? "\(connection.address)").")
        connectionCallback?()
        delegate?.nrfDidConnect(self)
    }

    private func received(_ bytes: [UInt8]) {
        log("Received \(bytes.count) bytes.")
        let (data, string) = (Data(bytes), String(validating: bytes, as: UTF8.self))
        dataCallback?(data, string)
        delegate?.nrfReceivedData(self, data: data, string: string)
    }

    private func disconnected(_ problem: LinkError?) {
        let (wasAsked, begins) = records.withLock { records in
            defer { records.isDisconnecting = false }
            records.connection = nil
            records.status = .disconnected
            return (records.isDisconnecting, records.isDisconnecting && records.autoConnect)
        }
        log("Disconnected\(wasAsked ? "" : problem.map { ": \($0)" } ?? "").")
        disconnectionCallback?()
        delegate?.nrfDidDisconnect(self)
        if begins { call { $0.resume() } }
    }

    // MARK: Writing

    func write(_ bytes: [UInt8]) -> Bool {
        let isTaken = records.withLock { [records] current in
            guard let connection = current.connection, current.status == .connected else { return false }
            guard !bytes.isEmpty else { return true }
            guard current.take(bytes.count) else { return false }
            // Under the lock, so that the order on the loop is that of the calls.
            connection.loop.execute { [remark] in
                connection.assumeIsolated { connection in
                    _ = connection.post(bytes) { result in
                        records.withLock { $0.give(bytes.count) }
                        if case .failure(let error) = result { remark(.notice, "\(error)") }
                    }
                }
            }
            return true
        }
        if !isTaken { log(connectionStatus == .connected ? "Can't send: too much waits to be sent." : "Can't send: there is no connection.") }
        return isTaken
    }
}

/// Leads to a manager that may be gone. `@unchecked Sendable`: a weak reference that never changes; the manager itself is used on its queue.
private final class Ear: @unchecked Sendable {
    private weak var manager: NRFManager?
    private let queue: DispatchQueue

    init(_ manager: NRFManager) {
        self.manager = manager
        queue = manager.queue
    }

    /// Returns when the manager has been told.
    func tell(_ body: @escaping @Sendable (NRFManager) -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                if let manager = self.manager { body(manager) }
                continuation.resume()
            }
        }
    }
}
