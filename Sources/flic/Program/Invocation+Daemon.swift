import FlicBridge
import Glibc

/// Commands that let a daemon do their work, where one runs.
extension Invocation {
    static let socket = Option(name: "--socket", value: "PATH", choices: .files, summary: "Ask the daemon at this socket, not the one that is found.")

    /// Who has the buttons: a daemon, or this command itself by way of the store. The only place that decides it.
    ///
    /// A daemon that runs has them, unless `--store` names a directory that is not its own.
    ///
    /// - Returns: Nil if this command has them.
    /// - Throws: ``Failure`` if a daemon runs but cannot be used.
    func daemon() async throws -> BridgeClient? {
        if let path = arguments.value(Self.socket) { return try await connect(path) }
        for path in context.sockets() {
            do throws(SocketError) {
                let daemon = try await connect(path)
                if try await isMeant(daemon) { return daemon }
            } catch {
                switch error.code {
                case .absent: continue
                case .denied where arguments.value(.store) != nil: continue
                default: throw error
                }
            }
        }
        return nil
    }

    private func connect(_ path: String) async throws(SocketError) -> BridgeClient {
        try await BridgeClient.connect(path, on: context.loop as? DispatchLoop ?? DispatchLoop(label: "flic.daemon"))
    }

    /// Whether the daemon has the directory that was asked for, if one was.
    private func isMeant(_ daemon: BridgeClient) async throws(SocketError) -> Bool {
        guard let directory = arguments.value(.store) else { return true }
        do {
            let status: BridgeStatus = try await daemon.request(BridgeRequest(.status))
            return status.store.map { $0.isSameFile(as: directory) } ?? false
        } catch {
            throw error as? SocketError ?? SocketError(.notUnderstood, "\(error)")
        }
    }
}

extension Failure {
    /// A daemon could not be asked.
    init(_ error: SocketError) {
        let text = error.description.withoutFullStop
        switch error.code {
        case .absent: self.init(.failed, "noDaemon", "\(text); 'flic run' starts one, or 'systemctl start flickit' where it is installed.")
        case .denied:
            let cure = "join the group of the socket ('sudo adduser NAME flic', then log in anew), or name another store with '--store'"
            self.init(.denied, "daemonDenied", "\(text); \(cure).")
        case .invalidPath: self.init(.usage, "invalidPath", "\(text).")
        case .timedOut: self.init(.timedOut, "daemonSilent", "\(text).")
        case .cancelled: self.init(.interrupted, "interrupted", "Interrupted.")
        case .inUse: self.init(.failed, "daemonRuns", "\(text).")
        case .ended, .notUnderstood, .failed: self.init(.failed, "daemonFailed", "\(text).")
        }
    }

    /// A daemon did not do what it was asked for.
    init(_ refusal: BridgeRefusal) {
        if let code = FlicError.Code(rawValue: refusal.reason) {
            self.init(FlicError(code, detail: refusal.message))
        } else {
            let codes: [BridgeRefusal.Reason: ExitCode] = [.unknownButton: .notPaired, .ambiguousButton: .usage, .badValue: .usage]
            let code = BridgeRefusal.Reason(rawValue: refusal.reason).flatMap { codes[$0] } ?? .failed
            self.init(code, refusal.reason, refusal.message)
        }
    }
}

extension String {
    /// Whether both are paths of the same file.
    fileprivate func isSameFile(as other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(self, &first) == 0 && stat(other, &second) == 0 && first.st_ino == second.st_ino && first.st_dev == second.st_dev
    }
}
