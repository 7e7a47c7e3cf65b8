#if Webhooks
    internal import CCurl
    internal import EventLoops
    internal import Glibc

    /// libcurl's multi interface on a loop: its sockets are watched by dispatch sources, its one timer is a timer of the loop.
    ///
    /// `@unchecked Sendable`: all of it is used on the loop only. It may be released elsewhere: by then nothing is under way.
    final class CurlTransfers: @unchecked Sendable {
        /// Names a transfer that is under way.
        struct ID: Hashable {
            fileprivate let easy: UnsafeMutableRawPointer
        }

        /// Connections that are kept open for the next request to the same server.
        private static let mostKept = HTTPClient.mostAtOnce
        /// Of `curl_multi_socket_action`: no socket, but the time is over.
        private static let noSocket: curl_socket_t = -1
        /// Begins once in a process.
        private static let isReady = flickit_begin() != 0

        private let loop: DispatchLoop
        private let certificates: String?
        /// Nil if libcurl cannot be used.
        private let multi: UnsafeMutableRawPointer?
        private var sources: [curl_socket_t: [DescriptorSource]] = [:]
        private var timer: ScheduledWork?
        private var transfers: [ID: CurlTransfer] = [:]

        /// - Parameter certificates: The path of a file with the authorities to trust; nil for the system's.
        init(on loop: DispatchLoop, certificates: String?) {
            self.loop = loop
            self.certificates = certificates
            multi = Self.isReady ? curl_multi_init() : nil
            guard let multi else { return }
            let this = Unmanaged.passUnretained(self).toOpaque()
            flickit_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, this)
            flickit_multi_set_socket_function(multi) { _, socket, wish, data, _ in
                CurlTransfers.from(data)?.watch(socket, wish)
                return 0
            }
            flickit_multi_set_pointer(multi, CURLMOPT_TIMERDATA, this)
            flickit_multi_set_timer_function(multi) { _, milliseconds, data in
                CurlTransfers.from(data)?.setTimer(milliseconds)
                return 0
            }
            flickit_multi_set_number(multi, CURLMOPT_MAXCONNECTS, Self.mostKept)
        }

        deinit {
            timer?.cancel()
            guard let multi else { return }
            flickit_multi_set_socket_function(multi, nil)
            flickit_multi_set_timer_function(multi, nil)
            for id in transfers.keys { curl_multi_remove_handle(multi, id.easy) }
            transfers = [:]
            curl_multi_cleanup(multi)
        }

        private static func from(_ data: UnsafeMutableRawPointer?) -> CurlTransfers? {
            data.map { Unmanaged<CurlTransfers>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Begins a request that has been checked.
        ///
        /// - Parameter done: Called once, on the loop, not before this returns.
        /// - Returns: Nil if it could not begin; then `done` is not called.
        func begin(_ request: HTTPRequest, timeout: Duration, done: @escaping (Result<HTTPAnswer, HTTPError>) -> Void) -> ID? {
            guard let multi, let transfer = CurlTransfer(request, timeout: timeout, certificates: certificates, done: done) else { return nil }
            let id = ID(easy: transfer.easy)
            transfers[id] = transfer
            guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
                transfers[id] = nil
                return nil
            }
            return id
        }

        /// Ends a transfer, as cancelled.
        func cancel(_ id: ID) { end(id, .failure(HTTPError(.cancelled))) }

        private func end(_ id: ID, _ result: Result<HTTPAnswer, HTTPError>) {
            guard let multi, let transfer = transfers.removeValue(forKey: id) else { return }
            curl_multi_remove_handle(multi, id.easy)
            transfer.done(result)
        }

        // MARK: What libcurl waits for

        private func watch(_ socket: curl_socket_t, _ wish: Int32) {
            sources.removeValue(forKey: socket)?.forEach { $0.cancel() }
            var made: [DescriptorSource] = []
            if wish == CURL_POLL_IN || wish == CURL_POLL_INOUT { made += source(socket, .reading, CURL_CSELECT_IN) }
            if wish == CURL_POLL_OUT || wish == CURL_POLL_INOUT { made += source(socket, .writing, CURL_CSELECT_OUT) }
            if !made.isEmpty { sources[socket] = made }
        }

        /// None if there are no descriptors left: the transfer then comes to its time-out.
        private func source(_ socket: curl_socket_t, _ direction: DescriptorSource.Direction, _ event: Int32) -> [DescriptorSource] {
            let source = DescriptorSource(socket, direction, on: loop) { [weak self] in self?.act(socket, event) }
            source?.isRunning = true
            return source.map { [$0] } ?? []
        }

        private func setTimer(_ milliseconds: Int) {
            timer?.cancel()
            timer = nil
            guard milliseconds >= 0 else { return }
            timer = loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in self?.act(Self.noSocket, 0) }
        }

        /// Tells libcurl what has come.
        private func act(_ socket: curl_socket_t, _ event: Int32) {
            guard let multi else { return }
            var count: Int32 = 0
            curl_multi_socket_action(multi, socket, event, &count)
            while let message = curl_multi_info_read(multi, &count) {
                // What it points to does not outlive the removal of the handle.
                let (kind, easy, result) = (message.pointee.msg, message.pointee.easy_handle, message.pointee.data.result)
                guard kind == CURLMSG_DONE, let easy else { continue }
                let id = ID(easy: easy)
                guard let transfer = transfers[id] else { continue }
                end(id, transfer.result(result))
            }
        }
    }
#endif
