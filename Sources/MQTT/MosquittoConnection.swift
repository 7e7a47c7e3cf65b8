#if MQTT
    internal import CMosquitto
    package import EventLoops
    internal import Glibc

    extension MQTTClient {
        /// Whether this build can do MQTT.
        package static let isAvailable = true

        /// How connections are made on a loop: by libmosquitto.
        package static func opener(on loop: DispatchLoop) -> MQTTOpener {
            { options, hear in MosquittoConnection(options, on: loop, hear) }
        }
    }

    /// A connection of libmosquitto, read and written on a loop.
    ///
    /// Only the name is resolved and the socket connected elsewhere, because that blocks; nothing else is done with the library meanwhile. The library calls
    /// back within calls, where it must not be destroyed: what it says is kept, and told after the call.
    ///
    /// It speaks MQTT 5, in which a broker is told what is too large to be sent here: the library itself takes whatever comes, up to 256 MB. With a broker
    /// that knows only 3.1.1 it speaks that.
    ///
    /// `@unchecked Sendable`: all of it is used on the loop only, but for that one call.
    final class MosquittoConnection: MQTTConnection, @unchecked Sendable {
        private enum Phase {
            case connecting
            /// TLS, and the wait for the broker's word.
            case greeting
            case open
            case closing
            case ended
        }

        /// What the library has said during a call.
        enum Word {
            case event(MQTTConnectionEvent)
            case refused(code: Int32)
        }

        /// How long a broker may take for TLS and for accepting a client.
        private static let greetingTime = Duration.seconds(20)
        /// How long a goodbye may take.
        private static let goodbyeTime = Duration.seconds(2)
        private static let isReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

        let options: MQTTOptions
        private let loop: DispatchLoop
        private let hear: (MQTTConnectionEvent) -> Void
        private var version = Version.five
        private var handle: OpaquePointer?
        private var phase = Phase.connecting
        private var reading: DescriptorSource?
        private var writing: DescriptorSource?
        private var upkeep: ScheduledWork?
        private var deadline: ScheduledWork?
        var words: [Word] = []
        /// The last thing the library complained about.
        private(set) var complaint: String?

        init(_ options: MQTTOptions, on loop: DispatchLoop, _ hear: @escaping (MQTTConnectionEvent) -> Void) {
            self.options = options
            self.loop = loop
            self.hear = hear
            do throws(MQTTError) {
                try prepare()
                connect()
            } catch {
                loop.execute { [self] in end(error) }
            }
        }

        deinit { release() }

        /// Whether the broker has accepted the client.
        var isAccepted: Bool { phase == .open || phase == .closing }

        // MARK: The beginning

        private func prepare() throws(MQTTError) {
            guard Self.isReady, let handle = mosquitto_new(options.clientID, true, Unmanaged.passUnretained(self).toOpaque()) else {
                throw MQTTError(.invalid, "The client '\(options.clientID)' cannot be made: \(String(cString: strerror(errno))).")
            }
            self.handle = handle
            setCallbacks(handle)
            try Self.set(options, handle)
            mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version.rawValue)
        }

        /// The first of several is the cause.
        func complain(_ text: String) {
            if complaint == nil { complaint = String(text.prefix(300)) }
        }

        private func connect() {
            guard let handle else { return }
            nonisolated(unsafe) let pointer = handle  // nothing else is done with it until the call has returned
            loop.executeElsewhere(label: "flickit.mqtt.connect") { [self, options, version] in
                let (result, number) = Self.connect(pointer, to: options, version)
                loop.execute { self.connected(result, number) }
            }
        }

        /// Once more from the beginning, for a broker that is older.
        private func fallBack() {
            stopWatching()
            release()
            version = .three
            complaint = nil
            phase = .connecting
            do throws(MQTTError) {
                try prepare()
                connect()
            } catch {
                end(error)
            }
        }

        private func connected(_ result: Int32, _ number: Int32) {
            guard phase == .connecting, let handle else { return release() }
            guard result == MOSQ_ERR_SUCCESS.rawValue else { return end(error(connecting: result, number)) }
            phase = .greeting
            let socket = mosquitto_socket(handle)
            // What the kernel still holds when a connection is lost is discarded: it must not arrive beside what is sent again.
            setLinger(true, socket)
            guard
                let reading = DescriptorSource(socket, .reading, on: loop, ready: { [weak self] in self?.read() }),
                let writing = DescriptorSource(socket, .writing, on: loop, ready: { [weak self] in self?.write() })
            else { return end(MQTTError(.lost, "There are too many open files.")) }
            self.reading = reading
            self.writing = writing
            reading.isRunning = true
            deadline = loop.schedule(after: Self.greetingTime) { [weak self] in
                guard let self else { return }
                end(MQTTError(.silent, "\(options.broker) has not answered within \(Self.greetingTime.components.seconds) s."))
            }
            keepUp()
            settle(MOSQ_ERR_SUCCESS.rawValue)
        }

        private func setLinger(_ discards: Bool, _ socket: Int32) {
            var value = linger(l_onoff: discards ? 1 : 0, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        }

        // MARK: Reading and writing

        private func read() {
            guard let handle else { return }
            settle(mosquitto_loop_read(handle, 1))
        }

        private func write() {
            guard let handle else { return }
            settle(mosquitto_loop_write(handle, 1))
        }

        /// Lets the library ask the broker whether it is there, and look whether it is.
        private func keepUp() {
            let pause = Duration.seconds(max(options.keepAlive, 5)) / 3
            upkeep = loop.schedule(after: pause) { [weak self] in
                guard let self, let handle else { return }
                settle(mosquitto_loop_misc(handle))
                if phase != .ended, phase != .connecting { keepUp() }
            }
        }

        /// A call of the library is over: tells what it has said, and ends if it says that the connection has.
        private func settle(_ result: Int32) {
            let said = words
            words = []
            for word in said {
                guard phase != .ended else { return }
                switch word {
                case .refused(let code) where version == .five && Self.isUnknownVersion(code): return fallBack()
                case .refused(let code): return end(refusal(code))
                case .event(.opened):
                    guard phase == .greeting else { continue }
                    phase = .open
                    complaint = nil
                    deadline?.cancel()
                    hear(.opened)
                case .event(let event):
                    if phase != .greeting { hear(event) }  // a broker has to accept the client before anything else
                }
            }
            guard phase != .ended, let handle else { return }
            if phase == .closing, mosquitto_socket(handle) < 0 || result != MOSQ_ERR_SUCCESS.rawValue { return end(nil) }
            guard result == MOSQ_ERR_SUCCESS.rawValue else { return end(error(result)) }
            // The broker has said goodbye.
            guard mosquitto_socket(handle) >= 0 else { return end(error(MOSQ_ERR_CONN_LOST.rawValue)) }
            writing?.isRunning = mosquitto_want_write(handle)
        }

        /// After a call that was not made by the loop.
        private func settleLater(_ result: Int32) {
            loop.execute { [weak self] in self?.settle(result) }
        }

        func publish(_ message: MQTTMessage) throws(MQTTError) -> Int32 {
            guard let handle, phase == .open else { throw MQTTError(.lost, "There is no connection.") }
            var number: Int32 = 0
            let result = mosquitto_publish(
                handle,
                &number,
                message.topic,
                Int32(clamping: message.payload.count),
                message.payload,
                message.quality.rawValue,
                message.isRetained
            )
            let isUseless = [MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_OVERSIZE_PACKET].contains {
                $0.rawValue == result
            }
            settleLater(isUseless ? MOSQ_ERR_SUCCESS.rawValue : result)
            guard result == MOSQ_ERR_SUCCESS.rawValue else {
                throw isUseless
                    ? MQTTError(.invalid, "the library does not accept it: \(String(cString: mosquitto_strerror(result)))") : error(result)
            }
            return number
        }

        func subscribe(to filter: String) {
            guard let handle, phase == .open else { return }
            settleLater(mosquitto_subscribe(handle, nil, filter, 0))
        }

        // MARK: The end

        func close() {
            guard phase == .open, let handle else { return }
            phase = .closing
            setLinger(false, mosquitto_socket(handle))
            deadline = loop.schedule(after: Self.goodbyeTime) { [weak self] in self?.end(nil) }
            settleLater(mosquitto_disconnect(handle))
        }

        func abandon() {
            guard phase != .ended else { return }
            let isConnecting = phase == .connecting
            phase = .ended
            stopWatching()
            if !isConnecting { release() }  // else when the call has returned
        }

        private func end(_ error: MQTTError?) {
            guard phase != .ended else { return }
            phase = .ended
            stopWatching()
            release()
            hear(.ended(error))
        }

        private func stopWatching() {
            reading?.cancel()
            writing?.cancel()
            upkeep?.cancel()
            deadline?.cancel()
        }

        private func release() {
            guard let handle else { return }
            self.handle = nil
            mosquitto_destroy(handle)
        }
    }
#endif
