/// Asks servers.
package protocol HTTPSending: Sendable {
    /// Sends a request and waits for the answer, whatever its status is. Redirections are not followed.
    ///
    /// - Parameter timeout: For the whole, from when the request begins.
    /// - Throws: ``HTTPError``; `cancelled` if the task is.
    func send(_ request: HTTPRequest, timeout: Duration) async throws(HTTPError) -> HTTPAnswer
}
