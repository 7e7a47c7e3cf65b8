import CSockets
package import EventLoops
import Glibc
package import Logs

/// Serves metrics to programs of this computer: HTTP, on a TCP port of the loopback address.
///
/// A client has one request, some seconds, and little room; there are a few at a time. It is an actor on its loop.
package actor MetricsServer {
    /// Clients at the same time. Others are turned away.
    package static let mostClients = 16
    /// A client that has not got its answer after this time is cut off.
    package static let patience = Duration.seconds(10)

    /// Why metrics cannot be served: a sentence.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String

        fileprivate init(_ port: UInt16, _ call: String) {
            let reason = errno == EADDRINUSE ? "another program uses it" : "\(call): \(String(cString: strerror(errno)))"
            description = "Metrics cannot be served at port \(port): \(reason)."
        }
    }

    private struct Client {
        let socket: StreamSocket
        /// What has come of it.
        var request: [UInt8] = []
        let end: ScheduledWork
    }

    private let loop: DispatchLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let text: @Sendable () -> String
    private let log: @Sendable (LogLevel, String) -> Void
    /// As it was asked for; nil if it is served nowhere.
    private var wish: UInt16?
    private var descriptor: Descriptor?
    private var acceptor: Acceptor?
    private var clients: [Int: Client] = [:]
    private var lastClient = 0

    /// - Parameters:
    ///   - text: The metrics; called on the loop.
    ///   - log: Hears when clients cannot be accepted.
    package init(loop: DispatchLoop, text: @escaping @Sendable () -> String, log: @escaping @Sendable (LogLevel, String) -> Void) {
        self.loop = loop
        self.text = text
        self.log = log
    }

    /// Serves at another port, or nowhere.
    ///
    /// - Parameter port: 0 for any that is free; nil ends it.
    /// - Throws: ``Problem``; then it is served nowhere.
    package func serve(at port: UInt16?) throws(Problem) {
        guard port != wish else { return }
        stop()
        guard let port else { return }
        let descriptor = try Self.socket(at: port)
        self.descriptor = descriptor
        wish = port
        acceptor = Acceptor(
            descriptor,
            on: loop,
            accepted: { [weak self] descriptor in self?.assumeIsolated { $0.accept(descriptor) } },
            failed: { [log] number in log(.problem, "metrics: no more clients can be accepted: \(String(cString: strerror(number)))") }
        )
    }

    /// Where it is served; nil if nowhere.
    package var port: UInt16? {
        guard let descriptor else { return nil }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafeMutableBytes(of: &address) {
            getsockname(descriptor.number, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Serves nowhere, and cuts off who is there.
    package func stop() {
        wish = nil
        acceptor?.close()
        acceptor = nil
        descriptor = nil
        for number in clients.keys { cut(number) }
    }

    private static func socket(at port: UInt16) throws(Problem) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let number = Glibc.socket(AF_INET, type, 0)
        guard number >= 0 else { throw Problem(port, "socket") }
        let descriptor = Descriptor(number)
        // A port that has just been used by this program is free again at once.
        var isOn: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout.size(ofValue: isOn)))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafeBytes(of: &address) { bytes in
            bind(number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
        }
        guard result == 0 else { throw Problem(port, "bind") }
        guard listen(number, Int32(mostClients)) == 0 else { throw Problem(port, "listen") }
        return descriptor
    }

    // MARK: Clients

    private func accept(_ descriptor: Descriptor) {
        guard clients.count < Self.mostClients else { return }  // which closes it
        lastClient += 1
        let number = lastClient
        let socket = StreamSocket(
            descriptor,
            on: loop,
            mostWaiting: 1,
            received: { [weak self] bytes in self?.assumeIsolated { $0.receive(bytes, from: number) } },
            ended: { [weak self] _ in self?.assumeIsolated { $0.cut(number) } }
        )
        let end = loop.schedule(after: Self.patience) { [weak self] in self?.assumeIsolated { $0.cut(number) } }
        clients[number] = Client(socket: socket, end: end)
    }

    private func receive(_ bytes: [UInt8], from number: Int) {
        clients[number]?.request += bytes
        guard let client = clients[number], let answer = MetricsRequest.answer(to: client.request, text: text) else { return }
        client.socket.isPaused = true
        client.socket.send(answer)
        client.socket.whenSent { [weak self] in self?.assumeIsolated { $0.cut(number) } }
    }

    private func cut(_ number: Int) {
        guard let client = clients.removeValue(forKey: number) else { return }
        client.end.cancel()
        client.socket.close()
    }
}
