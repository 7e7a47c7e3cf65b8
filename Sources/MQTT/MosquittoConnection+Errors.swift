#if MQTT
    internal import CMosquitto
    internal import Glibc

    /// What has happened, in words.
    extension MosquittoConnection {
        func error(connecting result: Int32, _ number: Int32) -> MQTTError {
            switch result {
            case MOSQ_ERR_EAI.rawValue:
                MQTTError(.unresolvable, "There is no address for the name '\(options.host)': \(String(cString: gai_strerror(number))).")
            case MOSQ_ERR_ERRNO.rawValue: MQTTError(.unreachable, "\(options.broker) cannot be reached: \(String(cString: strerror(number))).")
            default: error(result)
            }
        }

        func error(_ result: Int32) -> MQTTError {
            let cause = complaint.map { ": \($0)" } ?? "."
            return switch result {
            case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue: MQTTError(.tls, "TLS with \(options.broker) does not come about\(cause)")
            case MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_NO_CONN.rawValue, MOSQ_ERR_ERRNO.rawValue:
                isAccepted
                    ? MQTTError(.lost, "The connection with \(options.broker) was lost\(cause)")
                    : MQTTError(
                        .lost,
                        "\(options.broker) has closed the connection and not accepted the client\(options.tls == nil ? "; it may want TLS" : "")\(cause)"
                    )
            case MOSQ_ERR_KEEPALIVE.rawValue: MQTTError(.silent, "\(options.broker) does not answer any more.")
            case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue, MOSQ_ERR_MALFORMED_UTF8.rawValue:
                MQTTError(.malformed, "What \(options.broker) says is no MQTT\(cause)")
            case MOSQ_ERR_NOMEM.rawValue: MQTTError(.lost, "There is no memory for the connection with \(options.broker).")
            default: MQTTError(.lost, "The connection with \(options.broker) has failed: \(String(cString: mosquitto_strerror(result)))")
            }
        }

        /// Whether a broker that does not accept a client says that it does not know the version; an older one says so in its own.
        static func isUnknownVersion(_ code: Int32) -> Bool { code == 1 || code == MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue }

        /// What a broker says that does not accept a client (MQTT 3.1.1, 3.2.2.3; MQTT 5, 3.2.2.2).
        func refusal(_ code: Int32) -> MQTTError {
            let user = options.username.map { "the user '\($0)'" } ?? "a client without user name"
            return switch code {
            case 1, 132: MQTTError(.refused, "\(options.broker) speaks neither MQTT 5 nor 3.1.1.")
            case 2, 133: MQTTError(.refused, "\(options.broker) refuses the client identifier '\(options.clientID)'.")
            case 3, 136, 137: MQTTError(.refused, "\(options.broker) is not ready for clients.")
            case 4, 134: MQTTError(.badCredentials, "\(options.broker) refuses \(user): user name or password are wrong.")
            case 5, 135:
                MQTTError(.badCredentials, "\(options.broker) refuses \(user): not authorised; user name or password may be wrong or missing.")
            default: MQTTError(.refused, "\(options.broker) refuses the client with code \(code).")
            }
        }
    }
#endif
