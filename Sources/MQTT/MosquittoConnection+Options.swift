#if MQTT
    internal import CMosquitto
    internal import Glibc

    extension MosquittoConnection {
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
