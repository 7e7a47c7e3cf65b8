#if Webhooks
    internal import CCurl
    internal import EventLoops
    internal import Glibc

    /// One request and what has come of its answer, as an easy handle of libcurl.
    final class CurlTransfer {
        /// Of the lines in front of the body together, in bytes.
        private static let longestHead = 64 << 10
        private static let program = "flickit"

        let easy: UnsafeMutableRawPointer
        let done: (Result<HTTPAnswer, HTTPError>) -> Void
        private var headers: UnsafeMutablePointer<curl_slist>?
        /// Where libcurl puts its words about an error.
        private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        private var headSize = 0
        private var body: [UInt8] = []
        private var isTooLarge = false

        /// Nil if there is no memory, or libcurl was built without what is needed.
        init?(_ request: HTTPRequest, timeout: Duration, certificates: String?, done: @escaping (Result<HTTPAnswer, HTTPError>) -> Void) {
            guard let easy = curl_easy_init() else { return nil }
            self.easy = easy
            self.done = done
            words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
            guard prepare(request, timeout, certificates) else { return nil }
        }

        deinit {
            curl_easy_cleanup(easy)
            curl_slist_free_all(headers)
            words.deallocate()
        }

        private func prepare(_ request: HTTPRequest, _ timeout: Duration, _ certificates: String?) -> Bool {
            var results = [
                flickit_easy_set_text(easy, CURLOPT_URL, request.url),
                flickit_easy_allow_http_only(easy),
                flickit_easy_set_number(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
                flickit_easy_set_number(easy, CURLOPT_FOLLOWLOCATION, 0),
                flickit_easy_set_text(easy, CURLOPT_PROXY, ""),
                flickit_easy_set_text(easy, CURLOPT_USERAGENT, Self.program),
                flickit_easy_set_number(easy, CURLOPT_SSL_VERIFYPEER, 1),
                flickit_easy_set_number(easy, CURLOPT_SSL_VERIFYHOST, 2),
                flickit_easy_set_number(easy, CURLOPT_TIMEOUT_MS, timeout.wholeMilliseconds),
                flickit_easy_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, timeout.wholeMilliseconds),
                flickit_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, words),
            ]
            flickit_easy_leave_resolver(easy)
            if let certificates { results.append(flickit_easy_set_text(easy, CURLOPT_CAINFO, certificates)) }
            if request.method == .post {
                results.append(flickit_easy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)))
                results.append(request.body.withUnsafeBytes { copy(body: $0) })
            }
            // libcurl would wait for the server's consent before a long body.
            guard request.headers.allSatisfy({ add($0.name, $0.value) }), add("Expect", nil) else { return false }
            results.append(flickit_easy_set_pointer(easy, CURLOPT_HTTPHEADER, headers))

            let this = Unmanaged.passUnretained(self).toOpaque()
            results += [
                flickit_easy_set_pointer(easy, CURLOPT_HEADERDATA, this),
                flickit_easy_set_function(easy, CURLOPT_HEADERFUNCTION) { _, size, count, data in CurlTransfer.from(data).takeHead(size * count) },
                flickit_easy_set_pointer(easy, CURLOPT_WRITEDATA, this),
                flickit_easy_set_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, data in
                    CurlTransfer.from(data).takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
                },
            ]
            return results.allSatisfy { $0 == CURLE_OK }
        }

        private func copy(body: UnsafeRawBufferPointer) -> CURLcode {
            // Without bytes there is no address, which would mean that they are asked for later.
            guard let address = body.baseAddress else { return flickit_easy_set_text(easy, CURLOPT_COPYPOSTFIELDS, "") }
            return flickit_easy_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: address))
        }

        /// - Parameter value: Nil for a header that libcurl is not to send.
        private func add(_ name: String, _ value: String?) -> Bool {
            let line = value.map { $0.isEmpty ? "\(name);" : "\(name): \($0)" } ?? "\(name):"
            guard let list = curl_slist_append(headers, line) else { return false }
            headers = list
            return true
        }

        private static func from(_ data: UnsafeMutableRawPointer?) -> CurlTransfer {
            Unmanaged<CurlTransfer>.fromOpaque(data!).takeUnretainedValue()  // as it was set
        }

        /// - Returns: How much is taken: less than there is ends the transfer.
        private func takeHead(_ size: Int) -> Int {
            headSize += size
            isTooLarge = isTooLarge || headSize > Self.longestHead
            return isTooLarge ? 0 : size
        }

        private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard body.count + bytes.count <= HTTPAnswer.longestBody else {
                isTooLarge = true
                return 0
            }
            body += bytes
            return bytes.count
        }

        // MARK: The end

        func result(_ code: CURLcode) -> Result<HTTPAnswer, HTTPError> {
            guard code == CURLE_OK else {
                let kind = kind(code)
                return .failure(HTTPError(kind, detail: kind == .tooLarge ? "" : detail(code)))
            }
            var status = 0
            guard flickit_easy_get_number(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK, status > 0 else {
                return .failure(HTTPError(.invalidAnswer, detail: "no status"))
            }
            var seconds: curl_off_t = 0
            flickit_easy_get_size(easy, CURLINFO_RETRY_AFTER, &seconds)
            return .success(HTTPAnswer(status: status, body: body, retryAfter: seconds > 0 ? .seconds(seconds) : nil))
        }

        private func kind(_ code: CURLcode) -> HTTPError.Code {
            switch code {
            case CURLE_URL_MALFORMAT: .invalidRequest
            case CURLE_COULDNT_RESOLVE_HOST: .unresolvable
            case CURLE_COULDNT_CONNECT: systemError == ECONNREFUSED ? .refused : .unreachable
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR: .certificate
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED: .tls
            case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE: .connectionLost
            // The scheme was checked before: it is HTTP 0.9 that libcurl does not support.
            case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING: .invalidAnswer
            case CURLE_WRITE_ERROR: isTooLarge ? .tooLarge : .failed
            // Said of a line that does not end; by later versions as CURLE_TOO_LARGE.
            case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100): .tooLarge
            default: .failed
            }
        }

        private var systemError: Int32 {
            var number = 0
            flickit_easy_get_number(easy, CURLINFO_OS_ERRNO, &number)
            return Int32(truncatingIfNeeded: number)
        }

        private func detail(_ code: CURLcode) -> String {
            words.pointee != 0 ? String(cString: words) : String(cString: curl_easy_strerror(code))
        }
    }

    extension Duration {
        /// At least one, at most those of a day.
        fileprivate var wholeMilliseconds: Int { Int(Swift.min(Swift.max(self, .milliseconds(1)), .seconds(86_400)) / .milliseconds(1)) }
    }
#endif
