#if MQTT
    internal import CMosquitto
    internal import Glibc

    /// What the library says, within its calls.
    extension MosquittoConnection {
        /// Larger messages are not passed on, in bytes.
        static let largestMessage = 65_536

        func setCallbacks(_ handle: OpaquePointer) {
            mosquitto_connect_callback_set(handle) { _, object, code in
                MosquittoConnection.of(object)?.words.append(code == 0 ? .event(.opened) : .refused(code: code))
            }
            mosquitto_publish_callback_set(handle) { _, object, number in
                MosquittoConnection.of(object)?.words.append(.event(.acknowledged(number)))
            }
            mosquitto_subscribe_callback_set(handle) { _, object, _, count, granted in
                guard let granted, (0..<count).contains(where: { granted[Int($0)] > 2 }) else { return }
                MosquittoConnection.of(object)?.words.append(.event(.subscriptionRefused))
            }
            mosquitto_message_callback_set(handle) { _, object, message in
                guard let message = message?.pointee, let topic = message.topic, message.payloadlen <= MosquittoConnection.largestMessage else {
                    return
                }
                let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(max(message.payloadlen, 0)))
                let copy = MQTTMessage(
                    topic: String(decoding: UnsafeRawBufferPointer(start: topic, count: strlen(topic)), as: UTF8.self),
                    payload: Array(payload),
                    quality: message.qos == 0 ? .atMostOnce : .atLeastOnce,
                    isRetained: message.retain
                )
                MosquittoConnection.of(object)?.words.append(.event(.received(copy)))
            }
            mosquitto_disconnect_callback_set(handle) { _, object, code in
                guard code >= MQTT_RC_UNSPECIFIED.rawValue else { return }  // else it is no word of the broker
                MosquittoConnection.of(object)?.complain(String(cString: mosquitto_reason_string(code)))
            }
            mosquitto_log_callback_set(handle) { _, object, level, text in
                guard level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING, let text else { return }
                MosquittoConnection.of(object)?.complain(String(cString: text))
            }
        }

        private static func of(_ object: UnsafeMutableRawPointer?) -> MosquittoConnection? {
            object.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
        }
    }
#endif
