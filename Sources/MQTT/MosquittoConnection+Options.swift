#if MQTT
    internal import CMosquitto
    internal import Glibc

    extension MosquittoConnection {
        /// Versions of MQTT.
        enum Version: Int32 {
            /// 3.1.1.
            case three = 4
            case five = 5
        }

        /// What a broker is told to keep to itself, in bytes: a message of ``largestMessage`` with the longest topic is smaller (MQTT 5, 3.1.2.11.4).
        private static let largestPacket: UInt32 = 2 * 65_536 + 64

        /// Resolves the name and makes the connection, which blocks.
        ///
        /// - Returns: The library's result, and `errno`.
        static func connect(_ handle: OpaquePointer, to options: MQTTOptions, _ version: Version) -> (result: Int32, number: Int32) {
            var properties: OpaquePointer?
            defer { mosquitto_property_free_all(&properties) }
            if version == .five {
                let result = mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), largestPacket)
                guard result == MOSQ_ERR_SUCCESS.rawValue else { return (result, 0) }
            }
            let keepAlive = Int32(max(options.keepAlive, 5))
            let result = mosquitto_connect_bind_v5(handle, options.host, Int32(options.port), keepAlive, nil, properties)
            return (result, errno)
        }

        /// Tells the library how to connect.
        static func set(_ options: MQTTOptions, _ handle: OpaquePointer) throws(MQTTError) {
            mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
            if let will = options.will {
                let result = mosquitto_will_set(
                    handle,
                    will.topic,
                    Int32(clamping: will.payload.count),
                    will.payload,
                    will.quality.rawValue,
                    will.isRetained
                )
                try check(result, "The will for '\(will.topic)' is not accepted")
            }
            if let name = options.username {
                try check(mosquitto_username_pw_set(handle, name, options.password), "User name or password are not accepted")
            }
            if let tls = options.tls { try set(tls, handle) }
        }

        private static func set(_ tls: MQTTOptions.TLS, _ handle: OpaquePointer) throws(MQTTError) {
            for file in [tls.caFile, tls.certFile, tls.keyFile].compactMap({ $0 }) where access(file, R_OK) != 0 {
                throw MQTTError(.tls, "\(file) cannot be read: \(String(cString: strerror(errno))).")
            }
            if tls.caFile == nil { mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1) }
            if tls.caFile != nil || tls.certFile != nil {
                // The library wants a file or a directory even where those of the system are used.
                let directory = tls.caFile == nil ? "/etc/ssl/certs" : nil
                let noPassphrase: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = { _, _, _, _ in 0 }
                try check(
                    mosquitto_tls_set(handle, tls.caFile, directory, tls.certFile, tls.keyFile, noPassphrase),
                    "The certificates are not accepted"
                )
            }
            if tls.isInsecure {
                mosquitto_tls_opts_set(handle, 0, nil, nil)  // SSL_VERIFY_NONE
                mosquitto_tls_insecure_set(handle, true)
            }
        }

        private static func check(_ result: Int32, _ problem: String) throws(MQTTError) {
            guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
            throw MQTTError(.invalid, "\(problem): \(String(cString: mosquitto_strerror(result)))")
        }
    }
#endif
