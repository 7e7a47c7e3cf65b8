/// What is asked of a server.
package struct HTTPRequest: Sendable, Equatable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    /// Absolute, `http` or `https`.
    package let url: String
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    package init(method: Method, url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    package static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
        left.method == right.method && left.url == right.url && left.body == right.body
            && left.headers.elementsEqual(right.headers) { $0.name == $1.name && $0.value == $1.value }
    }
}
